import { describe, expect, test } from "vitest";
import { describeChange, type RecordedChange } from "./describe-change.ts";

const key = { type: "key", id: "key_1", name: "ci" };
const sentence = (change: Partial<RecordedChange>) =>
  describeChange({
    action: "key.created",
    actor: "ada@example.com",
    target: key,
    teamName: null,
    before: null,
    after: null,
    ...change,
  });

describe("the sentence of a change", () => {
  test("names the actor, the action, and the object", () => {
    expect(sentence({})).toBe("ada@example.com created API key ci");
    expect(sentence({ action: "key.rotated" })).toBe("ada@example.com rotated the secret of API key ci");
  });

  test("names the team of a membership and of a new key", () => {
    const bob = { target: { type: "user", id: "7", name: "bob@example.com" }, teamName: "Search" };
    const team = { teamId: "team_1", role: "member" };
    expect(sentence({ ...bob, action: "member.added", after: team })).toBe(
      "ada@example.com added member bob@example.com to team Search",
    );
    expect(sentence({ ...bob, action: "member.removed", before: team })).toBe(
      "ada@example.com removed member bob@example.com from team Search",
    );
    expect(
      sentence({ ...bob, action: "member.role_changed", before: team, after: { teamId: "team_1", role: "admin" } }),
    ).toBe("ada@example.com changed the role of member bob@example.com in team Search from member to admin");
    expect(sentence({ ...bob, action: "member.added", after: { role: "member" } })).toBe(
      "ada@example.com added member bob@example.com",
    );
    expect(sentence({ after: { name: "ci", teamId: "team_1" } })).toBe(
      "ada@example.com created API key ci in team team_1",
    );
  });

  test("has the ID of an object without a name", () => {
    expect(sentence({ target: { ...key, name: null } })).toBe("ada@example.com created API key key_1");
  });

  test("lists the changed fields, at most four", () => {
    const updated = { action: "key.updated", before: { name: "ci" } };
    expect(sentence({ ...updated, after: { name: "prod" } })).toBe("ada@example.com changed API key ci: name");
    expect(sentence({ ...updated, after: { name: "prod", expiresAt: null } })).toBe(
      "ada@example.com changed API key ci: name and expires at",
    );
    const many = { a: 1, b: 1, c: 1, d: 1 };
    expect(sentence({ ...updated, after: many })).toBe(
      "ada@example.com changed API key ci: name, a, b and other fields",
    );
  });

  test("says from which role to which, and why a team was blocked", () => {
    const bob = { type: "user", id: "7", name: "bob@example.com" };
    expect(
      sentence({ action: "member.role_changed", target: bob, before: { role: "member" }, after: { role: "admin" } }),
    ).toBe("ada@example.com changed the role of member bob@example.com from member to admin");
    const team = { type: "team", id: "team_1", name: "Search" };
    expect(
      sentence({ action: "team.blocked", actor: "System", target: team, after: { reason: "negative_balance" } }),
    ).toBe("System blocked team Search: negative balance");
  });

  test("names an order's amount and its states", () => {
    const order = { type: "purchase", id: "pur_1", name: null };
    expect(sentence({ action: "purchase.created", target: order, after: { amount: "20000000000" } })).toBe(
      "ada@example.com placed order pur_1: $20.00",
    );
    expect(sentence({ action: "purchase.partially_refunded", actor: "System", target: order })).toBe(
      "System marked order pur_1 as partially refunded",
    );
  });

  test("has no object if the verb says it all", () => {
    expect(sentence({ action: "server.set_up", target: { type: "user", id: "1", name: "ada@example.com" } })).toBe(
      "ada@example.com set up this server",
    );
    expect(sentence({ action: "user.logged_in", target: { type: "session", id: "ses_1", name: null } })).toBe(
      "ada@example.com signed in",
    );
  });

  test("is readable for an action without a phrase", () => {
    expect(sentence({ action: "key.moved_away" })).toBe("ada@example.com moved away key ci");
  });
});
