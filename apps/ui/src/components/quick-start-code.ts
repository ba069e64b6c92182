interface SnippetFacts {
  /** Base URL of the model API, without a trailing slash. */
  readonly apiUrl: string;
  readonly keyHeader: string;
  /** The secret, only if it was just created. Otherwise, the snippets read it from the environment. */
  readonly apiKey: string | null;
  readonly model: string;
}

export interface Snippet {
  readonly label: string;
  readonly code: string;
}

/** Returns a first request in four languages, with this server's URL, key header, and one of its models. */
export function quickStartCode(facts: SnippetFacts): readonly Snippet[] {
  return [
    { label: "curl", code: curl(facts) },
    { label: "TypeScript", code: typescript(facts) },
    { label: "Python", code: python(facts) },
    { label: "Go", code: go(facts) },
  ];
}

const PROMPT = "Say hello in one short sentence.";
const VARIABLE = "TOLLGATE_API_KEY";

function curl({ apiUrl, keyHeader, apiKey, model }: SnippetFacts): string {
  const body = JSON.stringify({ model, messages: [{ role: "user", content: PROMPT }] });
  const value = `${isBearer(keyHeader) ? "Bearer " : ""}${apiKey ?? `$${VARIABLE}`}`;
  return [
    `curl ${apiUrl}/v1/chat/completions \\`,
    `  -H "${keyHeader}: ${value}" \\`,
    `  -H "content-type: application/json" \\`,
    `  -d '${body.replaceAll("'", `'\\''`)}'`,
  ].join("\n");
}

function typescript({ apiUrl, keyHeader, apiKey, model }: SnippetFacts): string {
  const key = apiKey === null ? `process.env.${VARIABLE}` : text(apiKey);
  return [
    `import OpenAI from "openai";`,
    "",
    `const apiKey = ${key};`,
    "const client = new OpenAI({",
    `  baseURL: ${text(`${apiUrl}/v1`)},`,
    "  apiKey,",
    ...(isBearer(keyHeader) ? [] : [`  defaultHeaders: { ${text(keyHeader)}: apiKey },`]),
    "});",
    "const response = await client.chat.completions.create({",
    `  model: ${text(model)},`,
    `  messages: [{ role: "user", content: ${text(PROMPT)} }],`,
    "});",
    "console.log(response.choices[0].message.content);",
  ].join("\n");
}

function python({ apiUrl, keyHeader, apiKey, model }: SnippetFacts): string {
  const key = apiKey === null ? `os.environ["${VARIABLE}"]` : text(apiKey);
  return [
    ...(apiKey === null ? ["import os", ""] : []),
    "from openai import OpenAI",
    "",
    `api_key = ${key}`,
    "client = OpenAI(",
    `    base_url=${text(`${apiUrl}/v1`)},`,
    "    api_key=api_key,",
    ...(isBearer(keyHeader) ? [] : [`    default_headers={${text(keyHeader)}: api_key},`]),
    ")",
    "response = client.chat.completions.create(",
    `    model=${text(model)},`,
    `    messages=[{"role": "user", "content": ${text(PROMPT)}}],`,
    ")",
    "print(response.choices[0].message.content)",
  ].join("\n");
}

function go({ apiUrl, keyHeader, apiKey, model }: SnippetFacts): string {
  const body = text(JSON.stringify({ model, messages: [{ role: "user", content: PROMPT }] }));
  const key = apiKey === null ? `os.Getenv("${VARIABLE}")` : text(apiKey);
  return [
    "package main",
    "",
    "import (",
    `\t"io"`,
    `\t"net/http"`,
    `\t"os"`,
    `\t"strings"`,
    ")",
    "",
    "func main() {",
    `\tbody := strings.NewReader(${body})`,
    `\trequest, _ := http.NewRequest("POST", ${text(`${apiUrl}/v1/chat/completions`)}, body)`,
    `\trequest.Header.Set(${text(keyHeader)}, ${isBearer(keyHeader) ? `"Bearer "+` : ""}${key})`,
    `\trequest.Header.Set("content-type", "application/json")`,
    "\tresponse, err := http.DefaultClient.Do(request)",
    "\tif err != nil {",
    "\t\tpanic(err)",
    "\t}",
    "\tdefer response.Body.Close()",
    "\tio.Copy(os.Stdout, response.Body)",
    "}",
  ].join("\n");
}

const isBearer = (header: string): boolean => header.toLowerCase() === "authorization";

/** Quotes a string for languages with JSON string syntax. */
const text = (value: string): string => JSON.stringify(value);
