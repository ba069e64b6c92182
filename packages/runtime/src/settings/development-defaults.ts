/** Source name of the built-in development settings, in place of a file name. */
export const DEVELOPMENT_DEFAULTS = "development defaults";
