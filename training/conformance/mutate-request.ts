import { buildBody } from "./play/build-body.ts";
import type { BodyRecipe, RecordedRequest } from "./recorded-case.ts";

/** Random numbers that depend only on a seed, so that a run can be repeated. */
export interface RandomSource {
  /** Returns an integer in the range, including both ends. */
  integer(from: number, to: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
}

const FRAMES = { "content-type": "application/vnd.tollgate.frames" };
const W = "d2VpZ2h0cw==";

/** Valid requests with short fields and lists, so that a random change is likely to break something. */
const VALID: readonly { readonly path: string; readonly body: BodyRecipe; readonly isFrames?: boolean }[] = [
  {
    path: "/train",
    body: { text: `{"parameters":"${W}","dataset":[{"a":1,"b":"x"}],"config":{"n":-1.5e3},"round":3}` },
  },
  { path: "/evaluate", body: { text: `{"dataset":[],"parameters":null,"round":0,"other":[true,false,null,"é\\n"]}` } },
  { path: "/aggregate", body: { text: `{"parameters_list":["YQ==","YmI="],"weights":[1,0.5]}` } },
  { path: "/train", body: { text: `{"dataset":{"ref":"digits","split":"train","limit":2}}` } },
  {
    path: "/train",
    isFrames: true,
    body: { frames: { header: { parameters: { $frame: 0 }, round: 1 }, content: ["weights"] } },
  },
  {
    path: "/aggregate",
    isFrames: true,
    body: {
      frames: { header: { parameters_list: [{ $frame: 1 }, { $frame: 0 }], weights: [1, 2] }, content: ["a", "bb"] },
    },
  },
];

/** Characters that have a meaning in JSON, base64, or frames. */
const PIECES = [
  ...'{}[]:,"\\/ \n\t\r=+-_.0123456789eEaA\u0000\u007f',
  ...[
    '""',
    "null",
    "true",
    "false",
    "1e999",
    "-0",
    "00",
    "1.0",
    "\\u0070",
    "\\ud800",
    "NaN",
    "Infinity",
    "[[",
    "{}",
    "é",
    "☃",
  ],
  ...[
    '"parameters":',
    '"dataset":',
    '"round":',
    '"weights":',
    '"config":',
    '"parameters_list":',
    '"ref":',
    '"$frame":',
  ],
  ...['"YQ=="', "YR==", "====", '{"$frame":0}', '{"ref":"digits"}', "\ufeff", "/*", "9007199254740993", "TGF1"],
];
const MAX_CHANGES = 3;

const FIELDS = [
  "parameters",
  "parameters_list",
  "dataset",
  "config",
  "round",
  "weights",
  "frames",
  "other",
  "__proto__",
];
const NUMBERS = ["0", "-0", "1", "-1", "0.5", "2.0", "1e2", "1e-400", "1e308", "9007199254740993", "1e999"];
const WORDS = [
  "null",
  "true",
  '""',
  '"YQ"',
  '"YR"',
  '"é"',
  "[]",
  "{}",
  '["YQ=="]',
  '["YQ==",""]',
  "[{}]",
  "[[]]",
  "[null]",
];
const OBJECTS = [
  '{"ref":"digits"}',
  '{"ref":"..","limit":1}',
  '{"$frame":0}',
  '{"$frame":-1}',
  '{"ref":"digits","limit":1.0}',
];
const VALUES = [...NUMBERS, ...WORDS, ...OBJECTS, "[1,1]", "[0,0]", "[1e308,1e308]", "[2,-1]"];
const MAX_FIELDS = 5;

/** Builds a request from known fields with random values. The same seed always produces the same request. */
export function composeRequest(random: RandomSource): RecordedRequest {
  const names = new Set(Array.from({ length: random.integer(1, MAX_FIELDS) }, () => random.pick(FIELDS)));
  const fields = [...names].map((name) => `"${name}":${random.pick(VALUES)}`);
  const path = random.pick(["/train", "/evaluate", "/aggregate"]);
  return { method: "POST", path, body: { text: `{${fields.join(",")}}` } };
}

/** Returns a valid request with one to three changes. The same seed always produces the same request. */
export function mutateRequest(random: RandomSource): RecordedRequest {
  const { path, body, isFrames } = random.pick(VALID);
  let bytes = buildBody(body);
  for (let left = random.integer(1, MAX_CHANGES); left > 0; left -= 1) bytes = change(bytes, random);
  const headers = isFrames === true ? FRAMES : undefined;
  return { method: "POST", path, headers, body: { base64: bytes.toString("base64") } };
}

function change(bytes: Buffer, random: RandomSource): Buffer {
  const at = random.integer(0, bytes.length);
  const end = Math.min(bytes.length, at + random.integer(1, 6));
  const before = bytes.subarray(0, at);
  const piece = Buffer.from(random.pick(PIECES));
  switch (random.integer(0, 5)) {
    case 0:
      return Buffer.concat([before, bytes.subarray(end)]);
    case 1:
      return Buffer.concat([before, piece, bytes.subarray(end)]);
    case 2:
      return Buffer.concat([before, bytes.subarray(at, end), bytes.subarray(at)]);
    case 3:
      return Buffer.concat([before, Buffer.from([random.integer(0, 255)]), bytes.subarray(at)]);
    case 4:
      return before;
    default:
      return Buffer.concat([before, piece, bytes.subarray(at)]);
  }
}
