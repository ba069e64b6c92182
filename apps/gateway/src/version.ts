import manifest from "../package.json" with { type: "json" };

/** The product's version, printed in every answer. */
export const VERSION: string = manifest.version;

/** The version of the published interface, which moves apart from the product's. */
export const INTERFACE_VERSION = "1.84.0";
