/** JSON schema, as far as these programs rewrite it. */
export type Schema = { [keyword: string]: unknown };

/** Returns the problems of a document; empty if it is valid. */
export type Validate = (document: unknown) => readonly string[];

/** Folder that `scripts/deploy-tools schemas` downloads to. */
export const SOURCES = new URL("../../../tools/deploy/sources/", import.meta.url);
