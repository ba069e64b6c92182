import { Failure } from "@tollgate/contracts/failures.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { boundaryOf } from "./multipart-boundary.ts";
import { MultipartParser } from "./multipart-parser.ts";

const BOUNDARY = "limes";

interface Received {
  readonly fields: [name: string, value: string][];
  file: { name: string; filename: string; contentType: string; bytes: Buffer } | null;
}

/** Parses a form that arrives in these pieces. */
function parse(bytes: Buffer, pieces: readonly number[] = [], boundary = BOUNDARY): Received {
  const received: Received = { fields: [], file: null };
  const chunks: Buffer[] = [];
  const parser = new MultipartParser(boundary, {
    onField: (name, value) => received.fields.push([name, value]),
    onFile: (head) => {
      received.file = { ...head, bytes: Buffer.alloc(0) };
    },
    onFileData: (chunk) => chunks.push(Buffer.from(chunk)),
  });
  let start = 0;
  for (const length of pieces) {
    parser.push(bytes.subarray(start, start + length));
    start += length;
  }
  parser.push(bytes.subarray(start));
  parser.end();
  if (received.file !== null) received.file.bytes = Buffer.concat(chunks);
  return received;
}

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof Failure) return error.code;
    throw error;
  }
  return "taken";
}

const part = (head: string, value = "v") => `--${BOUNDARY}\r\n${head}\r\n\r\n${value}\r\n`;
const CLOSE = `--${BOUNDARY}--\r\n`;
const MODEL = 'Content-Disposition: form-data; name="model"';
const FILE = 'Content-Disposition: form-data; name="file"; filename="a.wav"';

test("parses a form the same way regardless of how it is split or which bytes its file contains", () => {
  // Include partial boundaries, because parsers typically fail on them.
  const fragment = fc.constantFrom(
    "\r\n--limes-",
    "\r\n--lime",
    "\r\n",
    "--limes",
    "\r",
    "-",
    "x",
    "\0",
    "\r\n--limesX",
  );
  const content = fc.array(fragment, { maxLength: 12 }).map((parts) => parts.join(""));
  const isClean = (text: string) => !`${text}\r\n`.includes(`\r\n--${BOUNDARY}`);
  fc.assert(
    fc.property(
      content.filter(isClean),
      content.filter(isClean),
      fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 60 }),
      (file, field, pieces) => {
        const bytes = Buffer.from(`${part(FILE, file)}${part(MODEL, field)}${CLOSE}`, "latin1");
        const received = parse(bytes, pieces);
        expect(received.file?.bytes.toString("latin1")).toBe(file);
        expect(received.fields).toEqual([["model", field]]);
      },
    ),
  );
});

test("parses forms from common clients and leaves their names unchanged", async () => {
  const form = new FormData();
  form.set("model", "whisper");
  form.append("timestamp_granularities[]", "word");
  form.append("timestamp_granularities[]", "segment");
  form.set("prompt", "Zwölf Boxkämpfer\r\n— jagen");
  form.set("file", new File([Buffer.from([0, 255, 13, 10])], 'Ä "quoted".wav', { type: "audio/wav" }));
  const response = new Response(form);
  const boundary = boundaryOf(response.headers.get("content-type"));
  const received = parse(Buffer.from(await response.arrayBuffer()), [], boundary);
  expect(received.fields).toEqual([
    ["model", "whisper"],
    ["timestamp_granularities[]", "word"],
    ["timestamp_granularities[]", "segment"],
    ["prompt", "Zwölf Boxkämpfer\r\n— jagen"],
  ]);
  expect(received.file).toMatchObject({ filename: "Ä %22quoted%22.wav", contentType: "audio/wav" });
  expect(received.file?.bytes).toEqual(Buffer.from([0, 255, 13, 10]));
});

test.for([
  ["a quoted name with escapes", `content-disposition: form-data; name="file"; filename="a\\"b.wav"`, 'a"b.wav'],
  ["unquoted names", "content-disposition: form-data; name=file; filename=a.wav", "a.wav"],
  ["a name in extended notation", `Content-Disposition: form-data; name="file"; filename*=utf-8''%C3%A4.wav`, "ä.wav"],
  ["headers in another order", `content-type: audio/wav\r\n${FILE}`, "a.wav"],
] as const)("parses %s", ([, head, filename]) => {
  expect(parse(Buffer.from(part(head) + CLOSE)).file?.filename).toBe(filename);
});

const many = (count: number, head = MODEL) => Array.from({ length: count }, () => part(head)).join("");

test.for([
  ["an empty body", "", "invalid_request"],
  ["data before the first boundary", `preamble\r\n${part(MODEL)}${CLOSE}`, "invalid_request"],
  ["data after the closing boundary", `${part(MODEL)}${CLOSE}more`, "invalid_request"],
  ["no closing boundary", part(MODEL), "invalid_request"],
  ["a body that ends inside a part", part(MODEL).slice(0, -4), "invalid_request"],
  ["a different boundary", `--other\r\n${MODEL}\r\n\r\nv\r\n--other--\r\n`, "invalid_request"],
  ["a longer boundary", `--${BOUNDARY}x\r\n${MODEL}\r\n\r\nv\r\n${CLOSE}`, "invalid_request"],
  ["a space after the boundary", `--${BOUNDARY} \r\n${MODEL}\r\n\r\nv\r\n${CLOSE}`, "invalid_request"],
  ["bare line feeds", `--${BOUNDARY}\n${MODEL}\n\nv\n${CLOSE}`, "invalid_request"],
  ["a part without a head", `--${BOUNDARY}\r\n\r\n\r\nv\r\n${CLOSE}`, "invalid_request"],
  ["a part without a disposition", part("content-type: text/plain") + CLOSE, "invalid_request"],
  ["a different disposition", part('content-disposition: attachment; name="model"') + CLOSE, "invalid_request"],
  ["a part without a name", part("content-disposition: form-data; filename=a.wav") + CLOSE, "invalid_request"],
  ["an empty name", part('content-disposition: form-data; name=""') + CLOSE, "invalid_request"],
  ["a repeated name", part(`${MODEL}; name="file"`) + CLOSE, "invalid_request"],
  ["an unterminated name", part('content-disposition: form-data; name="model') + CLOSE, "invalid_request"],
  ["a repeated disposition", part(`${MODEL}\r\n${MODEL}`) + CLOSE, "invalid_request"],
  ["a folded header", part(`${MODEL};\r\n filename=a.wav`) + CLOSE, "invalid_request"],
  ["a header without a colon", part(`${MODEL}\r\nnonsense`) + CLOSE, "invalid_request"],
  ["a control character in a header", part(`${MODEL}\0`) + CLOSE, "invalid_request"],
  ["a lone carriage return in a header", part(`${MODEL}\rx: y`) + CLOSE, "invalid_request"],
  ["a head that is not UTF-8", part('content-disposition: form-data; name="\xff"') + CLOSE, "invalid_request"],
  ["a field that is not UTF-8", part(MODEL, "\xff\xfe") + CLOSE, "invalid_request"],
  ["an encoded part", part(`${MODEL}\r\ncontent-transfer-encoding: base64`) + CLOSE, "invalid_request"],
  ["a content type without a subtype", part(`${FILE}\r\ncontent-type: audio`) + CLOSE, "invalid_request"],
  ["a file name that cannot be decoded", part(`${FILE.replace("filename=", "filename*=")}`) + CLOSE, "invalid_request"],
  ["line breaks in an extended name", part(`${MODEL}; filename*=utf-8''%0d%0a`) + CLOSE, "invalid_request"],
  ["two files", part(FILE) + part(FILE) + CLOSE, "invalid_request"],
  ["a file with another field name", part(FILE.replace('"file"', '"other"')) + CLOSE, "invalid_request"],
  ["an unterminated head", `--${BOUNDARY}\r\n${"x".repeat(9_000)}`, "request_too_large"],
  ["a long head", part(`${MODEL}\r\nx-more: ${"x".repeat(5_000)}`) + CLOSE, "request_too_large"],
  ["a field of more than 64 KiB", part(MODEL, "x".repeat(65_537)) + CLOSE, "request_too_large"],
  ["an unterminated field", `--${BOUNDARY}\r\n${MODEL}\r\n\r\n${"x".repeat(70_000)}`, "request_too_large"],
  ["65 fields", many(65) + CLOSE, "request_too_large"],
] as const)("%s is rejected", ([, text, code]) => {
  const bytes = Buffer.from(text, "latin1");
  expect(codeOf(() => parse(bytes))).toBe(code);
  // The result is the same if the bytes arrive one by one.
  expect(
    codeOf(() =>
      parse(
        bytes,
        Array.from({ length: Math.min(bytes.length, 3_000) }, () => 1),
      ),
    ),
  ).toBe(code);
});

test("accepts fields that are exactly at the limits", () => {
  const longest = "x".repeat(65_536);
  expect(parse(Buffer.from(part(MODEL, longest) + CLOSE)).fields).toEqual([["model", longest]]);
  expect(parse(Buffer.from(many(64) + CLOSE)).fields).toHaveLength(64);
});

test("arbitrary bytes after a valid start are accepted or rejected, and cause no unexpected error", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (noise, inHead) => {
      const start = inHead ? `--${BOUNDARY}\r\n` : `--${BOUNDARY}\r\n${FILE}\r\n\r\n`;
      const bytes = Buffer.concat([Buffer.from(start), noise, Buffer.from(`\r\n${CLOSE}`)]);
      expect(["taken", "invalid_request", "request_too_large"]).toContain(codeOf(() => parse(bytes)));
    }),
  );
});

test.for([
  ["multipart/form-data; boundary=abc", "abc"],
  ['Multipart/Form-Data; charset=utf-8; boundary="a b:c"', "a b:c"],
  [`multipart/form-data; boundary=${"x".repeat(70)}`, "x".repeat(70)],
] as const)("reads the boundary of %s", ([contentType, boundary]) => {
  expect(boundaryOf(contentType)).toBe(boundary);
});

test.for([
  [null, "unsupported_media_type"],
  ["application/json", "unsupported_media_type"],
  ["multipart/mixed; boundary=a", "unsupported_media_type"],
  ["multipart/form-data", "unsupported_media_type"],
  ["multipart/form-data; charset=utf-8", "invalid_request"],
  ["multipart/form-data; boundary=", "invalid_request"],
  ['multipart/form-data; boundary=""', "invalid_request"],
  ['multipart/form-data; boundary="a "', "invalid_request"],
  ["multipart/form-data; boundary=a; boundary=b", "invalid_request"],
  ["multipart/form-data; boundary=a*b", "invalid_request"],
  [`multipart/form-data; boundary=${"x".repeat(71)}`, "invalid_request"],
] as const)("the content type %s is rejected", ([contentType, code]) => {
  expect(codeOf(() => boundaryOf(contentType))).toBe(code);
});
