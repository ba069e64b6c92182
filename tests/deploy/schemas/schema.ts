/** The parts of a JSON schema that these programs rewrite. */
export type Schema = { [keyword: string]: unknown };

/** Returns the problems in a document, or an empty list if the document is valid. */
export type Validate = (document: unknown) => readonly string[];

/** Folder that `scripts/deploy-tools schemas` downloads the schemas to. */
export const SOURCES = new URL("../../../tools/deploy/sources/", import.meta.url);
