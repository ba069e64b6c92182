import type { Snippet } from "./quick-start-code.ts";

/** A gateway request to render as code. */
interface CallToWrite {
  readonly apiUrl: string;
  readonly keyHeader: string;
  /** Path below `/v1`, such as `chat/completions`. */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** File to upload with the body's fields, for operations that take a form. */
  readonly fileName?: string | undefined;
}

const VARIABLE = "TOLLGATE_API_KEY";

/** Renders the request in three languages. The key is read from the environment, so the code contains no secret. */
export function callCode(call: CallToWrite): readonly Snippet[] {
  return [
    { label: "curl", code: curl(call) },
    { label: "TypeScript", code: typescript(call) },
    { label: "Python", code: python(call) },
  ];
}

function curl({ apiUrl, keyHeader, path, body, fileName }: CallToWrite): string {
  const key = `${isBearer(keyHeader) ? "Bearer " : ""}$${VARIABLE}`;
  const head = [`curl ${apiUrl}/v1/${path} \\`, `  -H "${keyHeader}: ${key}" \\`];
  if (fileName !== undefined) {
    const fields = Object.entries(body).map(([name, value]) => `  -F ${quote(`${name}=${String(value)}`)} \\`);
    return [...head, ...fields, `  -F ${quote(`file=@${fileName}`)}`].join("\n");
  }
  const isSpeech = path === "audio/speech";
  return [
    ...head,
    `  -H "content-type: application/json" \\`,
    `  -d ${quote(JSON.stringify(body, null, 2))}${isSpeech ? " \\" : ""}`,
    ...(isSpeech ? ["  --output speech.mp3"] : []),
  ].join("\n");
}

function typescript({ apiUrl, keyHeader, path, body, fileName }: CallToWrite): string {
  const isStream = body.stream === true;
  const given =
    fileName === undefined
      ? JSON.stringify(body, null, 2)
      : withFile(body, `fs.createReadStream(${JSON.stringify(fileName)})`);
  return [
    ...(fileName === undefined && path !== "audio/speech" ? [] : [`import fs from "node:fs";`]),
    `import OpenAI from "openai";`,
    "",
    `const apiKey = process.env.${VARIABLE};`,
    "const client = new OpenAI({",
    `  baseURL: ${JSON.stringify(`${apiUrl}/v1`)},`,
    "  apiKey,",
    ...(isBearer(keyHeader) ? [] : [`  defaultHeaders: { ${JSON.stringify(keyHeader)}: apiKey },`]),
    "});",
    `const response = await client.${methods[path]?.typescript ?? "post"}(${given});`,
    ...(isStream
      ? [
          `for await (const chunk of response) process.stdout.write(${chunkText[path] ?? "JSON.stringify(chunk)"} ?? "");`,
        ]
      : path === "audio/speech"
        ? [`fs.writeFileSync("speech.mp3", Buffer.from(await response.arrayBuffer()));`]
        : ["console.log(JSON.stringify(response, null, 2));"]),
  ].join("\n");
}

function python({ apiUrl, keyHeader, path, body, fileName }: CallToWrite): string {
  const lines = Object.entries(body).map(([name, value]) => `    ${name}=${pythonValue(value, 1)},`);
  const isStream = body.stream === true;
  return [
    "import os",
    "",
    "from openai import OpenAI",
    "",
    `api_key = os.environ["${VARIABLE}"]`,
    "client = OpenAI(",
    `    base_url=${JSON.stringify(`${apiUrl}/v1`)},`,
    "    api_key=api_key,",
    ...(isBearer(keyHeader) ? [] : [`    default_headers={${JSON.stringify(keyHeader)}: api_key},`]),
    ")",
    `response = client.${methods[path]?.python ?? "post"}(`,
    ...(fileName === undefined ? [] : [`    file=open(${JSON.stringify(fileName)}, "rb"),`]),
    ...lines,
    ")",
    ...(isStream
      ? ["for chunk in response:", "    print(chunk.model_dump_json())"]
      : path === "audio/speech"
        ? [`response.write_to_file("speech.mp3")`]
        : ["print(response.model_dump_json(indent=2))"]),
  ].join("\n");
}

const methods: Readonly<Record<string, { readonly typescript: string; readonly python: string }>> = {
  "chat/completions": { typescript: "chat.completions.create", python: "chat.completions.create" },
  completions: { typescript: "completions.create", python: "completions.create" },
  embeddings: { typescript: "embeddings.create", python: "embeddings.create" },
  moderations: { typescript: "moderations.create", python: "moderations.create" },
  "images/generations": { typescript: "images.generate", python: "images.generate" },
  "audio/speech": { typescript: "audio.speech.create", python: "audio.speech.create" },
  "audio/transcriptions": { typescript: "audio.transcriptions.create", python: "audio.transcriptions.create" },
};

const chunkText: Readonly<Record<string, string>> = {
  "chat/completions": "chunk.choices[0]?.delta.content",
  completions: "chunk.choices[0]?.text",
};

const isBearer = (header: string): boolean => header.toLowerCase() === "authorization";

/** Quotes any text as one shell argument. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function withFile(body: Readonly<Record<string, unknown>>, file: string): string {
  const fields = Object.entries(body).map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},`);
  return ["{", `  file: ${file},`, ...fields, "}"].join("\n");
}

/** Formats a JSON value as a Python literal. */
function pythonValue(value: unknown, depth: number): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const [pad, end] = ["    ".repeat(depth + 1), "    ".repeat(depth)];
  const parts = Array.isArray(value)
    ? value.map((each) => pythonValue(each, depth + 1))
    : Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${pythonValue(each, depth + 1)}`);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (parts.length === 0) return open + close;
  return `${open}\n${parts.map((part) => `${pad}${part},\n`).join("")}${end}${close}`;
}
