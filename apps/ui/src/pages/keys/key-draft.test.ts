import { describe, expect, test } from "vitest";
import type { ApiKey } from "./api-key.ts";
import { emptyDraft, findDraftErrors, type KeyDraft, toDraft, toNewKey, toUpdate } from "./key-draft.ts";

const now = new Date("2026-11-12T14:05:00Z");
const zone = "Asia/Kolkata";

const full: KeyDraft = {
  name: "ci-bot",
  teamId: "team_1",
  choice: "only",
  models: ["gpt-5", "sim/*"],
  cap: "25.50",
  period: "weekly",
  rpm: "60",
  tpm: "200000",
  maxParallel: "4",
  expiry: "date",
  lastDay: "2026-12-31",
};

/** Returns the platform's response for a key created from the draft. */
function stored(draft: KeyDraft): ApiKey {
  const { name, team_id = "", models = null, budget, rateLimit, expiresAt = null } = toNewKey(draft, now, zone);
  return {
    id: "key_1",
    name,
    token: "sk-tg-ab…cdef",
    team_id,
    organizationId: "org_1",
    createdBy: null,
    status: "active",
    state: "active",
    models,
    budget:
      budget === null || budget === undefined
        ? null
        : {
            limit: budget.limit as bigint,
            period: budget.period ?? "none",
            spent: 0n,
            held: 0,
            remaining: 0n,
            resetsAt: null,
            usd: {},
          },
    rateLimit: {
      rpm: rateLimit?.rpm ?? null,
      tpm: rateLimit?.tpm ?? null,
      maxParallel: rateLimit?.maxParallel ?? null,
    },
    expiresAt,
    lastUsedAt: null,
    usage: { total: 0n, daily: 0n, weekly: 0n, monthly: 0n },
    rotatedAt: null,
    createdAt: "2026-11-12T14:05:00Z",
    updatedAt: "2026-11-12T14:05:00Z",
    usd: {},
  };
}

describe("key draft", () => {
  test("is restored field by field from the created key", () => {
    expect(toDraft(stored(full), zone)).toEqual(full);
    const { lastDay, ...empty } = emptyDraft("team_1");
    expect(toDraft(stored({ ...empty, lastDay, name: "bare" }), zone)).toEqual({ ...empty, lastDay, name: "bare" });
    expect(toDraft(stored({ ...full, choice: "none", models: [] }), zone)).toMatchObject({
      choice: "none",
      models: [],
    });
  });

  test("never turns a key without models into a key with all models", () => {
    expect(toNewKey({ ...full, choice: "none" }, now, zone).models).toEqual(["no-default-models"]);
    expect(toNewKey({ ...full, choice: "all" }, now, zone).models).toBeNull();
    expect(findDraftErrors({ ...full, models: [] }, now, zone)).toHaveProperty("models");
  });

  test("removes every cleared limit and sends no unchanged fields", () => {
    const sent = (change: Partial<KeyDraft>) => toUpdate(full, { ...full, ...change }, now, zone);
    expect(sent({})).toEqual({});
    expect(sent({ name: " web " })).toEqual({ name: "web" });
    expect(sent({ choice: "all" })).toEqual({ models: null });
    expect(sent({ cap: "" })).toEqual({ budget: null });
    expect(sent({ rpm: "" })).toEqual({ rateLimit: { rpm: null, tpm: 200_000, maxParallel: 4 } });
    expect(sent({ rpm: "", tpm: "", maxParallel: "" })).toEqual({
      rateLimit: { rpm: null, tpm: null, maxParallel: null },
    });
    expect(sent({ expiry: "never" })).toEqual({ expiresAt: null });
  });

  test("sends exact amounts and an expiry at the end of the last day in the organization's time zone", () => {
    const { budget, expiresAt } = toNewKey({ ...full, cap: "0.000000001" }, now, zone);
    expect(budget).toEqual({ limit: 1n, period: "weekly" });
    expect(expiresAt).toBe("2026-12-31T18:30:00.000Z");
    expect(toNewKey({ ...full, expiry: "7" }, now, zone).expiresAt).toBe("2026-11-19T14:05:00.000Z");
  });

  test("reports each error on its field", () => {
    const errors = findDraftErrors(
      { ...full, name: " ", cap: "1.2.3", rpm: "-1", tpm: "1e3", lastDay: "2026-11-11" },
      now,
      zone,
    );
    expect(Object.keys(errors).sort()).toEqual(["cap", "lastDay", "name", "rpm", "tpm"]);
    expect(findDraftErrors({ ...full, expiry: "date", lastDay: "" }, now, zone)).toHaveProperty("lastDay");
    expect(findDraftErrors(full, now, zone)).toEqual({});
  });
});
