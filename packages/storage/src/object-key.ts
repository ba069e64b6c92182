const MAX_KEY_LENGTH = 512;
const MAX_SEGMENT_LENGTH = 200;
/** Letters, digits, and four signs. A segment that starts with a dot could leave a folder, or be one of the adapter's. */
const SEGMENT = /^[A-Za-z0-9_=-][A-Za-z0-9._=-]*$/;

/** Reports whether a text is a key that is a safe relative path in a folder and in a URL. */
export function isObjectKey(text: string): boolean {
  if (text.length === 0 || text.length > MAX_KEY_LENGTH) return false;
  return text.split("/").every((segment) => segment.length <= MAX_SEGMENT_LENGTH && SEGMENT.test(segment));
}

/** Throws if a text is not a safe key. */
export function requireObjectKey(text: string): void {
  if (!isObjectKey(text)) throw new TypeError("an object key must be a relative path of letters, digits, and ._=-");
}

/** Throws if a text is not the prefix of a folder: empty, or keys that end with a slash. */
export function requireFolderPrefix(text: string): void {
  if (text !== "" && !(text.endsWith("/") && isObjectKey(text.slice(0, -1)))) {
    throw new TypeError("a folder of objects must be empty or a relative path that ends with a slash");
  }
}
