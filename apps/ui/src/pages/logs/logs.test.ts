import { describe, expect, test } from "vitest";
import { reasonOf, servedBy, toneOf } from "../../components/logged-call.ts";
import { callCode } from "./call-code.ts";
import { describeShown, describeTotal } from "./describe-counts.ts";
import { describeSearch } from "./describe-search.ts";
import { type LogState, listQueryOf, logDefaults, tailQueryOf, viewOf } from "./log-query.ts";

const state: LogState = logDefaults;

describe("log page URL", () => {
  test("is converted to API filters with exact amounts, without unset values", () => {
    expect(tailQueryOf(state)).toEqual({});
    const full = { ...state, class: ["failed"], key: ["key_1"], cost: "0.05", duration: "2000", stream: "true" };
    expect(tailQueryOf(full)).toEqual({
      class: ["failed"],
      apiKey: ["key_1"],
      minCost: 50_000_000n,
      minLatencyMs: 2_000,
      stream: true,
    });
  });

  test("omits invalid values", () => {
    expect(tailQueryOf({ ...state, cost: "cheap", duration: "-1" })).toEqual({});
  });

  test("is saved in a view without the open call and without live mode", () => {
    expect(viewOf("?class=failed&open=use_1&live=1&range=7d")).toBe("class=failed&range=7d");
  });
});

describe("search in stored contents", () => {
  const time = { startDate: "2026-11-01T00:00:00.000Z" };

  test("keeps the other filters and is sorted by time", () => {
    const sorted = { ...state, model: ["m"], sort: "-cost" };
    expect(listQueryOf(sorted, time)).toEqual({ model: ["m"], ...time, sort: "-cost" });
    expect(listQueryOf({ ...sorted, content: "lamp" }, time)).toEqual({ model: ["m"], ...time, content: "lamp" });
  });

  test("says whether all of the period was searched, or back to when", () => {
    const searches = [
      { contents: 1_000, unreadable: 0 },
      { contents: 204, unreadable: 1 },
    ];
    expect(describeSearch(searches, "Nov 12, 14:03")).toBe(
      "Searched 1,204 requests with stored content, back to Nov 12, 14:03. 1 stored content could not be decrypted.",
    );
    expect(describeSearch(searches.slice(0, 1), null)).toBe(
      "Searched all 1,000 requests with stored content in this period.",
    );
    expect(describeSearch([], null)).toBe("No readable stored content in this period.");
  });
});

describe("log list counts", () => {
  const counts = { requests: 1_203 };

  test("are requests in the header and in the footer, as in the histogram", () => {
    expect(describeTotal({ counts }, "Last 7 days")).toBe("1,203 requests, last 7 days");
    expect(describeShown([{ weight: 1 }, { weight: 1 }], { counts })).toBe("2 of 1,203 requests");
  });

  test("name the rows if a row stands for several requests", () => {
    expect(describeShown([{ weight: 1 }, { weight: 400 }], { counts })).toBe("401 of 1,203 requests in 2 rows");
  });

  test("include requests of the live tail, and say if they are lower bounds", () => {
    expect(describeShown([{ weight: 2_000 }], { counts })).toBe("2,000 of 2,000 requests in 1 row");
    expect(describeShown([{ weight: 1 }], { counts, totalIsMinimum: true })).toBe("1 of over 1,203 requests");
  });
});

describe("call description", () => {
  test("highlights only unsuccessful calls", () => {
    expect(toneOf({ class: "succeeded" })).toBeNull();
    expect(toneOf({ class: "refused" })).toBe("warning");
    expect(toneOf({ class: "rejected" })).toBe("warning");
    expect(toneOf({ class: "failed" })).toBe("danger");
    expect(reasonOf({ class: "canceled", errorCode: null })).toBe("Client disconnected");
    expect(reasonOf({ class: "failed", errorCode: "context_length_exceeded" })).toBe("Context length exceeded");
  });

  test("names the requested model before the serving model", () => {
    expect(servedBy({ model: "small", fallbackFrom: "large", requestedModel: null })).toEqual({
      asked: "large",
      served: "small",
    });
    expect(servedBy({ model: "large", fallbackFrom: null, requestedModel: null })).toEqual({
      asked: "large",
      served: null,
    });
  });

  test("names the model that a rejected request asked for", () => {
    expect(servedBy({ model: "", fallbackFrom: null, requestedModel: "gtp-4o" })).toEqual({
      asked: "gtp-4o",
      served: null,
    });
  });
});

describe("call code", () => {
  const facts = {
    apiUrl: "https://gw.example/base",
    keyHeader: "Authorization",
    endpoint: "chat.completions",
    request: `{"model":"m","stream":true,"stop":null,"messages":[{"role":"user","content":"it's"}]}`,
  };

  test("uses this server's URL and key header and never contains a secret", () => {
    for (const code of Object.values(callCode(facts))) {
      expect(code).toContain("https://gw.example/base/v1/chat/completions");
      expect(code).toContain("TOLLGATE_API_KEY");
    }
    expect(callCode(facts).curl).toContain('-H "Authorization: Bearer $TOLLGATE_API_KEY"');
  });

  test("escapes a quote for the shell and uses Python literals", () => {
    expect(callCode(facts).curl).toContain(`"it'\\''s"`);
    expect(callCode(facts).Python).toContain('"stream": True,');
    expect(callCode(facts).Python).toContain('"stop": None,');
  });
});
