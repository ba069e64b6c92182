import { describe, expect, test } from "vitest";
import { type GroupMember, type ModelGroups, type NameScope, resolveModel } from "./resolve-model.ts";

const member = (id: string, teamId: string | null = null, publicName: string | null = null): GroupMember => ({
  id,
  teamId,
  teamPublicModelName: publicName,
});

function groupsOf(
  groups: Record<string, readonly GroupMember[]>,
  aliases: Record<string, string> = {},
): ModelGroups<GroupMember> {
  const all = Object.entries(groups).map(([name, members]) => ({ name, members }));
  return {
    exact: new Map(all.filter(({ name }) => !name.includes("*")).map((group) => [group.name, group])),
    patterns: all.filter(({ name }) => name.includes("*")).sort((one, other) => other.name.length - one.name.length),
    aliases: new Map(Object.entries(aliases)),
    byId: new Map(all.flatMap(({ members }) => members).map((each) => [each.id, each])),
  };
}

const everyone: NameScope = { keyAliases: {}, teamAliases: {}, teamId: null, allowModelIdCalls: false };
const infer = (name: string) => (name.startsWith("gpt-") ? "openai" : null);
const find = (groups: ModelGroups<GroupMember>, asked: string, scope: Partial<NameScope> = {}) => {
  const found = resolveModel(groups, asked, { ...everyone, ...scope }, infer);
  return found && { ...found, ids: found.group.members.map(({ id }) => id) };
};

describe("a model name that matches in every way resolves by", () => {
  interface Way {
    readonly way: string;
    readonly groups: Record<string, readonly GroupMember[]>;
    readonly scope?: Partial<NameScope>;
    readonly aliases?: Record<string, string>;
    readonly id: string;
  }
  const ways: readonly Way[] = [
    { way: "an exact group", groups: { m: [member("0")] }, id: "0" },
    { way: "the key's alias", groups: { key: [member("1")] }, scope: { keyAliases: { m: "key" } }, id: "1" },
    { way: "the team's alias", groups: { team: [member("2")] }, scope: { teamAliases: { m: "team" } }, id: "2" },
    { way: "the router's alias", groups: { router: [member("3")] }, aliases: { m: "router" }, id: "3" },
    { way: "a team's own public name", groups: { hidden: [member("4", "t1", "m")] }, scope: { teamId: "t1" }, id: "4" },
    { way: "the longest pattern", groups: { "m*": [member("5")] }, id: "5" },
    { way: "a shorter pattern", groups: { "*": [member("6")] }, id: "6" },
    { way: "a deployment's id", groups: { other: [member("m")] }, scope: { allowModelIdCalls: true }, id: "m" },
  ];

  // Each case removes one more step from the start of the resolution order.
  test.for(ways.map((way, index) => ({ ...way, left: ways.slice(index) })))("$way", ({ left, id }) => {
    const groups = Object.assign({}, ...left.map((way) => way.groups));
    const aliases = Object.assign({}, ...left.map((way) => way.aliases));
    const scope = Object.assign({}, ...left.map((way) => way.scope));
    expect(find(groupsOf(groups, aliases), "m", scope)?.ids).toEqual([id]);
  });
});

describe("aliases", () => {
  const chain = (length: number) =>
    Object.fromEntries(Array.from({ length }, (_, index) => [`a${index}`, `a${index + 1}`]));

  test("are followed up to five levels deep, to an exact group or a pattern", () => {
    expect(find(groupsOf({ a5: [member("x")] }, chain(5)), "a0")?.name).toBe("a5");
    expect(find(groupsOf({ a6: [member("x")] }, chain(6)), "a0")).toBeNull();
    expect(find(groupsOf({ "a5*": [member("x")] }, chain(5)), "a0")?.name).toBe("a5");
    expect(find(groupsOf({ "a6*": [member("x")] }, chain(6)), "a0")).toBeNull();
  });

  test("in a cycle don't resolve", () => {
    expect(find(groupsOf({ "*": [member("x")] }, { a: "b", b: "a" }), "a")).toBeNull();
  });

  test("never resolve to inherited object properties", () => {
    const groups = groupsOf({ only: [member("x")] });
    for (const name of ["constructor", "toString", "__proto__"]) expect(find(groups, name)).toBeNull();
  });

  test("resolve to the group's own name, which limits and logs use", () => {
    expect(find(groupsOf({ real: [member("x")] }, { nick: "real" }), "nick")).toMatchObject({ name: "real" });
  });
});

describe("patterns", () => {
  test("keep the requested model name and return the text matched by the stars", () => {
    const found = find(groupsOf({ "openai/*": [member("p")] }), "openai/gpt-4o");
    expect(found).toMatchObject({ name: "openai/gpt-4o", captures: ["gpt-4o"], group: { name: "openai/*" } });
  });

  test("match a bare name under the provider it belongs to", () => {
    const groups = groupsOf({ "openai/*": [member("p")] });
    expect(find(groups, "gpt-4o")).toMatchObject({ name: "openai/gpt-4o", captures: ["gpt-4o"] });
    expect(find(groups, "unheard-of")).toBeNull();
    expect(find(groups, "azure/gpt-4o")).toBeNull();
  });

  test("yield to an exact group with the same name", () => {
    const groups = groupsOf({ "openai/*": [member("p")], "openai/gpt-4o": [member("e")] });
    expect(find(groups, "openai/gpt-4o")).toMatchObject({ ids: ["e"], captures: null });
  });
});

describe("team-owned deployments", () => {
  const groups = groupsOf({ m: [member("shared"), member("own", "t1", "mine")], only: [member("other", "t2", "m2")] });

  test("take precedence for their team over shared deployments of the same group", () => {
    expect(find(groups, "m", { teamId: "t1" })?.ids).toEqual(["own"]);
    expect(find(groups, "m", { teamId: "t2" })?.ids).toEqual(["shared"]);
    expect(find(groups, "m")?.ids).toEqual(["shared"]);
  });

  test("have a public name that only their team can use", () => {
    expect(find(groups, "mine", { teamId: "t1" })?.ids).toEqual(["own"]);
    expect(find(groups, "mine", { teamId: "t2" })).toBeNull();
    expect(find(groups, "mine")).toBeNull();
  });

  test("do not exist for other teams, not even by ID", () => {
    expect(find(groups, "only", { teamId: "t1" })).toBeNull();
    expect(find(groups, "other", { teamId: "t1", allowModelIdCalls: true })).toBeNull();
    expect(find(groups, "other", { teamId: "t2", allowModelIdCalls: true })?.ids).toEqual(["other"]);
  });
});

test("a deployment ID is a valid model name only if the operator allows it", () => {
  const groups = groupsOf({ m: [member("deployment-1")] });
  expect(find(groups, "deployment-1")).toBeNull();
  expect(find(groups, "deployment-1", { allowModelIdCalls: true })?.ids).toEqual(["deployment-1"]);
});
