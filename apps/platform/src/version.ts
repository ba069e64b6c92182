import manifest from "../package.json" with { type: "json" };

/** Product version. */
export const VERSION: string = manifest.version;

/** Version of the management API, which is independent of the product version. */
export const INTERFACE_VERSION = "1.0.0";
