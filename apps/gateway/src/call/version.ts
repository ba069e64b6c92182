import manifest from "../../package.json" with { type: "json" };

/** Product version, included in every response. */
export const VERSION: string = manifest.version;

/** Version of the published API, which is independent of the product version. */
export const INTERFACE_VERSION = "1.84.0";
