import { type Behavior, reply } from "../upstream-behaviors.ts";
import type { HostileBehavior, Outcome } from "./hostile-behavior.ts";
import { USUAL, type Wire } from "./wires.ts";

const DEEP = 60_000;
/**
 * Outcome of a response that is relayed unchanged if the client uses the upstream's API format, and converted
 * otherwise.
 */
const PASSED: Record<Wire["name"], Outcome> = { openai: "relayed", anthropic: "decent", gemini: "decent" };

/** Complete responses with unusual contents. */
export const bodyBehaviors: readonly HostileBehavior[] = [
  body("nothing", "refused", () => ""),
  body("blanks", "refused", () => " \r\n\t ".repeat(1_000)),
  body("null", "refused", () => "null"),
  body("a number", "refused", () => "1e400"),
  body("a text", "refused", () => '"sound"'),
  body("an empty list", "refused", () => "[]"),
  body("an empty object", { openai: "refused", anthropic: "decent", gemini: "refused" }, () => "{}"),
  body("half an answer", { openai: "decent", anthropic: "refused", gemini: "refused" }, (wire) => {
    const answer = wire.whole(USUAL);
    return answer.slice(0, answer.length >> 1);
  }),
  body("an answer and a half", "refused", (wire) => `${wire.whole(USUAL)}{"`),
  body("two answers in one", PASSED, (wire) => wire.whole(USUAL) + wire.whole(USUAL)),
  body("lists within lists without end", "refused", () => "[".repeat(DEEP)),
  body("objects within objects", "decent", () => `${'{"choices":'.repeat(DEEP)}[]${"}".repeat(DEEP)}`),
  body("an answer beside something deep", "sound", (wire) =>
    wire.whole(USUAL).replace("{", `{"deep":${"[".repeat(DEEP)}${"]".repeat(DEEP)},`),
  ),
  body("an answer with keys of every object", "sound", (wire) =>
    wire
      .whole(USUAL)
      .replace("{", '{"__proto__":{"choices":[],"usage":{"prompt_tokens":9}},"constructor":{"prototype":1},'),
  ),
  body("every member twice", "decent", (wire) => {
    const answer = wire.whole(USUAL);
    return `${answer.slice(0, -1)},${answer.slice(1)}`;
  }),
  body("an answer of zeros", "refused", () => Buffer.alloc(1024 * 1024)),
  body("an answer with zeros in it", "decent", (wire) => wire.whole(USUAL).replace("sound", "sou\0nd")),
  body("letters that do not exist", "decent", (wire) =>
    Buffer.from(
      Buffer.from(wire.whole(USUAL)).toString("latin1").replace("sound", "\u00ff\u00fe\u00c0\u0080"),
      "latin1",
    ),
  ),
  body("half of a letter", "decent", (wire) => wire.whole(USUAL).replace("sound", "\\ud83d")),
  body("a mark before the answer", "decent", (wire) => `\ufeff${wire.whole(USUAL)}`),
  body(
    "a comment before the answer",
    { openai: "decent", anthropic: "refused", gemini: "refused" },
    (wire) => `// hello\n${wire.whole(USUAL)}`,
  ),
  body("ten thousand choices", "decent", (wire) => {
    const answer = JSON.parse(wire.whole(USUAL)) as Record<string, unknown>;
    for (const name of ["choices", "content", "candidates"]) {
      const [first] = (answer[name] as unknown[] | undefined) ?? [];
      if (first !== undefined) answer[name] = new Array(10_000).fill(first);
    }
    return JSON.stringify(answer);
  }),
  ...["null", "{}", '"x"', "5", "[null]", "[5]", "[[]]"].map((value) =>
    body(`${value} where the answer should stand`, "decent", (wire) => {
      const answer = wire.whole(USUAL);
      return answer.replace(/"(choices|content|candidates)":\[.*?\}\]/s, (_, name: string) => `"${name}":${value}`);
    }),
  ),
  body(
    "a failure with a good status",
    "refused",
    () => '{"error":{"message":"No.","type":"server_error","code":null}}',
  ),
  ...["5", "null", "[]", '"no"', '{"message":{"a":1},"code":[]}'].map((value) =>
    body(`the failure ${value}`, "decent", () => `{"error":${value}}`),
  ),
];

function body(
  name: string,
  outcome: HostileBehavior["outcome"],
  write: (wire: Wire) => string | Uint8Array,
): HostileBehavior {
  const behave = (wire: Wire): Behavior => reply(200, write(wire));
  return { name: `says ${name}`, isStream: false, outcome, behave };
}
