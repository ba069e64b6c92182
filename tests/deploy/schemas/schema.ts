/** A JSON schema as far as it is rewritten here. */
export type Schema = { [keyword: string]: unknown };

/** Tells what is wrong with a document; nothing when it is well. */
export type Validate = (document: unknown) => readonly string[];

/** Where `scripts/deploy-tools schemas` puts what it fetches. */
export const SOURCES = new URL("../../../tools/deploy/sources/", import.meta.url);
