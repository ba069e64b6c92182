import type { Encoding } from "./vocabulary.ts";

/** The method for counting a model's tokens. */
interface Tokenizer {
  readonly encoding: Encoding;
  readonly type: "openai_tokenizer" | "approximate";
}

const newer = /^(?:gpt-(?:4o|4\.1|4\.5|5|oss|image|realtime|audio)|chatgpt-4o|o[1-9])/;
const older = /^(?:gpt-(?:3\.5|4)|text-embedding-|davinci-002|babbage-002)/;

/** Returns the vocabulary of the model with this upstream name. Unknown models are counted approximately. */
export function tokenizerOfModel(upstreamModel: string): Tokenizer {
  const name = upstreamModel.slice(upstreamModel.lastIndexOf("/") + 1).replace(/^ft:/, "");
  if (newer.test(name)) return { encoding: "o200k_base", type: "openai_tokenizer" };
  return { encoding: "cl100k_base", type: older.test(name) ? "openai_tokenizer" : "approximate" };
}
