import { matchPattern } from "./match-pattern.ts";

const MAX_ALIAS_DEPTH = 5;

/** The fields of a deployment that the lookup needs. */
export interface GroupMember {
  readonly id: string;
  /** A team-owned deployment is visible only to its team, under its public name. */
  readonly teamId: string | null;
  readonly teamPublicModelName: string | null;
}

export interface ModelGroup<Member extends GroupMember> {
  readonly name: string;
  readonly members: readonly Member[];
}

/** All model groups, indexed for lookup. Immutable: a change creates a new instance. */
export interface ModelGroups<Member extends GroupMember> {
  readonly exact: ReadonlyMap<string, ModelGroup<Member>>;
  /** Groups whose name has a `*`, longest pattern first. */
  readonly patterns: readonly ModelGroup<Member>[];
  readonly aliases: ReadonlyMap<string, string>;
  readonly byId: ReadonlyMap<string, Member>;
}

export interface NameScope {
  readonly keyAliases: Readonly<Record<string, string>>;
  readonly teamAliases: Readonly<Record<string, string>>;
  readonly teamId: string | null;
  readonly allowModelIdCalls: boolean;
}

interface ResolvedModel<Member extends GroupMember> {
  /** Name of the group, or the requested model name if it matched a wildcard pattern. */
  readonly name: string;
  readonly group: ModelGroup<Member>;
  /** Text matched by the pattern's stars; null for an exact group. */
  readonly captures: readonly string[] | null;
}

/** A resolved model, with its names as known to the team and organization, which don't see the caller's own aliases. */
export interface FoundModel<Member extends GroupMember> extends ResolvedModel<Member> {
  /** Name after resolving the key's aliases, as known to its team and user. */
  readonly nameInTeam: string;
  /** Name after resolving the key's and team's aliases, as known to their organization. */
  readonly nameInOrganization: string;
}

/** Resolves a name to its group in the documented order, or returns null. */
export function resolveModel<Member extends GroupMember>(
  groups: ModelGroups<Member>,
  asked: string,
  scope: NameScope,
  inferProvider: (bareName: string) => string | null,
): FoundModel<Member> | null {
  const found = lookUp(groups, asked, scope);
  if (found !== null || asked.includes("/")) return found;
  const provider = inferProvider(asked);
  const whole = `${provider}/${asked}`;
  const inferred = provider === null ? null : lookUp(groups, whole, scope);
  if (inferred === null) return null;
  // Without an alias, the key, team, and organization can all use either spelling.
  const { nameInTeam, nameInOrganization } = inferred;
  return {
    ...inferred,
    nameInTeam: nameInTeam === whole ? asked : nameInTeam,
    nameInOrganization: nameInOrganization === whole ? asked : nameInOrganization,
  };
}

function lookUp<Member extends GroupMember>(
  groups: ModelGroups<Member>,
  asked: string,
  scope: NameScope,
): FoundModel<Member> | null {
  let name = asked;
  let nameInTeam = asked;
  let nameInOrganization = asked;
  for (let depth = 0; depth <= MAX_ALIAS_DEPTH; depth += 1) {
    const group = groups.exact.get(name);
    if (group) {
      const members = visibleMembers(group.members, scope.teamId);
      if (members.length > 0) {
        return { name, group: { name, members }, captures: null, nameInTeam, nameInOrganization };
      }
    }
    const ofKey = ownEntry(scope.keyAliases, name);
    const ofTeam = ofKey ?? ownEntry(scope.teamAliases, name);
    const alias = ofTeam ?? groups.aliases.get(name);
    if (alias === undefined) break;
    // A longer chain, or a cycle, is a configuration error: fail rather than serve an unintended model.
    if (depth === MAX_ALIAS_DEPTH) return null;
    name = alias;
    if (ofKey !== undefined) nameInTeam = alias;
    if (ofTeam !== undefined) nameInOrganization = alias;
  }
  const found = teamOwned(groups, name, scope) ?? underPattern(groups, name, scope) ?? byId(groups, name, scope);
  return found && { ...found, nameInTeam, nameInOrganization };
}

function teamOwned<Member extends GroupMember>(
  groups: ModelGroups<Member>,
  name: string,
  scope: NameScope,
): ResolvedModel<Member> | null {
  if (scope.teamId === null) return null;
  const members = [...groups.byId.values()].filter(
    (member) => member.teamId === scope.teamId && member.teamPublicModelName === name,
  );
  return members.length === 0 ? null : { name, group: { name, members }, captures: null };
}

function underPattern<Member extends GroupMember>(
  groups: ModelGroups<Member>,
  name: string,
  scope: NameScope,
): ResolvedModel<Member> | null {
  for (const pattern of groups.patterns) {
    const captures = matchPattern(pattern.name, name);
    if (captures === null) continue;
    const members = visibleMembers(pattern.members, scope.teamId);
    if (members.length > 0) return { name, group: { name: pattern.name, members }, captures };
  }
  return null;
}

function byId<Member extends GroupMember>(
  groups: ModelGroups<Member>,
  name: string,
  scope: NameScope,
): ResolvedModel<Member> | null {
  if (!scope.allowModelIdCalls) return null;
  const member = groups.byId.get(name);
  if (!member || (member.teamId !== null && member.teamId !== scope.teamId)) return null;
  return { name, group: { name, members: [member] }, captures: null };
}

/**
 * Returns the visible deployments. A team's own deployments take precedence over shared deployments. Other teams'
 * deployments are invisible.
 */
function visibleMembers<Member extends GroupMember>(
  members: readonly Member[],
  teamId: string | null,
): readonly Member[] {
  const own = members.filter((member) => member.teamId !== null && member.teamId === teamId);
  return own.length > 0 ? own : members.filter((member) => member.teamId === null);
}

function ownEntry(record: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
