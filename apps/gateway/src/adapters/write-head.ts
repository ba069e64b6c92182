/** Characters of a path, of a header's name, and of its value. Others could end the line and begin another. */
const PATH = /^[\x21-\x7e\x80-\xff]+$/;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Headers that decide where a request ends. They are written here alone. */
const framing: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Writes the head of a POST request up to the length of its body, one character per byte. */
export function writeHead(path: string, host: string, headers: readonly string[]): string {
  if (!PATH.test(path)) throw new Error("the path of the upstream request has invalid characters");
  let lines = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] as string;
    const value = headers[index + 1] as string;
    if (!NAME.test(name) || framing.has(name.toLowerCase()) || !VALUE.test(value)) {
      throw new Error(`the header ${JSON.stringify(name)} of the upstream request is invalid`);
    }
    lines += `${name}: ${value}\r\n`;
  }
  return `${lines}content-length: `;
}
