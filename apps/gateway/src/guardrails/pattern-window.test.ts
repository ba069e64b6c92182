import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import type { DetectorSpec } from "./build-detectors.ts";
import { findSpans } from "./find-spans.ts";
import { FindingThread } from "./finding-thread.ts";
import { PatternCheck } from "./pattern-check.ts";
import { piiDetector } from "./pii-detector.ts";

const thread = new FindingThread();
afterAll(() => thread.close());

const secrets = [
  "mary.smith@example.com",
  "4111 1111 1111 1111",
  "DE89 3704 0044 0532 0130 00",
  "078-05-1120",
  "192.168.10.20",
  "+49 170 1234567",
  "sk-abcdefghijklmnop1234",
  "project x",
  "TICKET-12345",
  "x@y.z",
  "4111 1111 1111 1112",
];
const fillers = [" ", "a", "😀", "ü", ". ", "\n", "words and words ", "12 ", "-", "project ", "_"];

const all = ["email", "phone", "credit_card", "iban", "us_ssn", "ip_address", "api_key"] as const;
const nothing = { keywords: [], entities: [], patterns: {} };
const checks = {
  everything: { keywords: ["project x"], entities: all, patterns: { ticket: "TICKET-[0-9]+", at: "[a-z]+@[a-z]" } },
  "what is built in": { ...nothing, entities: all },
  "one word": { ...nothing, entities: ["email", "us_ssn", "ip_address"] as const },
  keywords: { ...nothing, keywords: ["project x", "words"] },
} satisfies Record<string, DetectorSpec>;

const maskerOf = (spec: DetectorSpec) => new PatternCheck(spec, true, thread);

async function maskWhole(spec: DetectorSpec, text: string): Promise<string> {
  const verdict = await maskerOf(spec).look([text]);
  return verdict?.kind === "mask" ? (verdict.texts[0] as string) : text;
}

test.for(Object.entries(checks))("masks text in pieces the same way as the whole text: %s", async ([, spec]) => {
  const texts = fc.array(fc.constantFrom(...secrets, ...fillers), { maxLength: 60 }).map((parts) => parts.join(""));
  const cuts = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(texts, cuts, async (text, lengths) => {
      const window = maskerOf(spec).openWindow();
      let sent = "";
      for (let position = 0, turn = 0; position < text.length; turn += 1) {
        const length = lengths[turn % lengths.length] as number;
        sent += await window.push(text.slice(position, position + length));
        position += length;
      }
      sent += await window.end();
      expect(sent).toBe(await maskWhole(spec, text));
      expect(sent.isWellFormed()).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test("masks long text on the worker thread the same way as inline", async () => {
  const long = "words and words ".repeat(20_000);
  const masked = await maskWhole(checks.everything, `${long}mary.smith@example.com TICKET-7`);
  expect(masked).toBe(`${long}[EMAIL] [TICKET]`);
});

test.each([
  ["email", "Write to mary.smith+x@mail.example.co.uk, please", "Write to [EMAIL], please"],
  ["email", "grüße.müller@exämple.de", "[EMAIL]"],
  ["credit_card", "card 4111-1111-1111-1111.", "card [CREDIT_CARD]."],
  ["credit_card", "order 4111-1111-1111-1112", "order 4111-1111-1111-1112"],
  ["iban", "to GB82 WEST 1234 5698 7654 32 today", "to [IBAN] today"],
  ["iban", "GB82 WEST 1234 5698 7654 33", "GB82 WEST 1234 5698 7654 33"],
  ["us_ssn", "SSN 078-05-1120", "SSN [US_SSN]"],
  ["us_ssn", "000-05-1120 and 2020-05-1120", "000-05-1120 and 2020-05-1120"],
  ["ip_address", "from 10.0.0.255 and 2001:db8::8a2e:370:7334", "from [IP_ADDRESS] and [IP_ADDRESS]"],
  ["ip_address", "version 10.0.0.2556, at 12:30:45", "version 10.0.0.2556, at 12:30:45"],
  ["phone", "call +1 (555) 123-4567 or 555-123-4567", "call [PHONE] or [PHONE]"],
  ["phone", "in 2024 there were 123456789 of 42", "in 2024 there were 123456789 of 42"],
  ["api_key", `key sk-proj-${"a".repeat(24)} and AKIAIOSFODNN7EXAMPLE`, "key [API_KEY] and [API_KEY]"],
] as const)("masks only valid values of type %s in: %s", async (entity, text, masked) => {
  const one = new PatternCheck({ keywords: [], entities: [entity], patterns: {} }, true, thread);
  const verdict = await one.look([text]);
  expect(verdict?.kind === "mask" ? verdict.texts[0] : text).toBe(masked);
});

test("matches a keyword as a whole word in any case", async () => {
  const words = new PatternCheck({ keywords: ["ass", "c++", "große"], entities: [], patterns: {} }, true, thread);
  expect(await words.look(["Ass. GROSSE Große C++? class"])).toEqual({
    kind: "mask",
    texts: ["[KEYWORD]. GROSSE [KEYWORD] [KEYWORD]? class"],
  });
  expect(await words.look(["a class of assets"])).toBeNull();
});

test("the time to check adversarial text is proportional to its length", () => {
  const finders = all.map(piiDetector);
  const spend = (text: string) => {
    const startedAtMs = performance.now();
    findSpans(finders, text, 0);
    return performance.now() - startedAtMs;
  };
  const fastest = (piece: string, length: number) => {
    const text = piece.repeat(Math.ceil(length / piece.length));
    return Math.min(...Array.from({ length: 20 }, () => spend(text)));
  };
  for (const piece of [
    "a",
    "1",
    "1 ",
    "1234 ",
    "a.",
    "a@",
    "0-",
    "::",
    "f:",
    "eyJ",
    "sk-",
    "+1(",
    "DE12 ",
    "ü",
    "a@b.",
  ]) {
    // Backtracking would make eight times the text take 64 times as long.
    expect(fastest(piece, 8_000), JSON.stringify(piece)).toBeLessThan(fastest(piece, 1_000) * 24);
  }
});
