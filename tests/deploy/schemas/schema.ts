/** The parts of a JSON schema that these programs rewrite. */
export type Schema = { [keyword: string]: unknown };

/** Returns the problems of a document; empty if it is valid. */
export type Validate = (document: unknown) => readonly string[];

/** Folder to which `scripts/deploy-tools schemas` downloads the schemas. */
export const SOURCES = new URL("../../../tools/deploy/sources/", import.meta.url);
