import manifest from "../package.json" with { type: "json" };

/** The product's version. */
export const VERSION: string = manifest.version;

/** The version of the management interface, which moves apart from the product's. */
export const INTERFACE_VERSION = "1.0.0";
