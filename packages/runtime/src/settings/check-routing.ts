import { matchPattern } from "@tollgate/domain/routing/match-pattern.ts";
import { findCircle } from "./find-circle.ts";
import { findNearMiss } from "./near-misses.ts";
import type { SettingsFile } from "./schema/settings-file.ts";
import type { FallbackLists, RouterSettings } from "./settings.ts";
import type { SettingsReader } from "./settings-reader.ts";
import { descend, type Place } from "./source-tree.ts";

const MAX_ALIAS_DEPTH = 5;
const ANY_GROUP = "*";

/** Checks that aliases and fallbacks have targets and contain no cycles. */
export function checkRouting(file: SettingsFile, router: RouterSettings, reader: SettingsReader): void {
  const groups = new Set(file.model_list.map((entry) => entry.model_name));
  const aliases = new Map(Object.entries(router.modelGroupAlias).map(([name, { model }]) => [name, model]));
  const isKnown = (name: string): boolean =>
    groups.has(name) ||
    aliases.has(name) ||
    [...groups].some((group) => group.includes("*") && matchPattern(group, name) !== null);

  for (const [alias, group] of aliases) {
    if (!isKnown(group)) warnUnknownGroup(group, `model_group_alias: ${alias}`, placeOf("model_group_alias", alias));
  }
  // A group takes precedence over an alias of the same name, so such an alias is never used.
  const followed = [...aliases].filter(([alias]) => !groups.has(alias));
  const aliasLists = Object.fromEntries(followed.map(([alias, group]) => [alias, [group]]));
  refuseCircle("model_group_alias", aliasLists, (name) => name, "an alias refers to itself");
  refuseLongAliases();

  const lists = {
    fallbacks: router.fallbacks,
    context_window_fallbacks: router.contextWindowFallbacks,
    content_policy_fallbacks: router.contentPolicyFallbacks,
  };
  for (const [name, list] of Object.entries(lists)) {
    for (const [group, targets] of Object.entries(list)) {
      const place = placeOf(name, group);
      if (group !== ANY_GROUP && !isKnown(group)) warnUnknownGroup(group, name, place);
      for (const target of targets) if (!isKnown(target)) warnUnknownGroup(target, name, place);
      if (resolveAlias(group) !== group) warnAlias(group, name, place);
    }
  }
  // Check each list separately: it is valid for a big model to fall back to a small one, and for the small one to fall
  // back to the big one for long prompts. A call tries each group only once.
  for (const [name, list] of Object.entries(lists))
    refuseCircle(name, list, resolveAlias, "a group falls back to itself");
  for (const target of router.defaultFallbacks) {
    if (!isKnown(target)) warnUnknownGroup(target, "default_fallbacks", placeOf("default_fallbacks"));
  }

  function warnUnknownGroup(group: string, setting: string, place: Place): void {
    const meant = findNearMiss(group, [...groups, ...aliases.keys()]);
    const suggestion = meant === null ? "model_list has no model group with that name" : `did you mean "${meant}"?`;
    reader.findings.warn("advice", place, `${setting} names "${group}"`, suggestion);
  }

  function warnAlias(alias: string, setting: string, place: Place): void {
    const suggestion = `fallbacks are looked up by model group; define them under "${resolveAlias(alias)}"`;
    reader.findings.warn("advice", place, `${setting} names the alias "${alias}"`, suggestion);
  }

  /**
   * Rejects cycles between named groups. Rules for all groups (`*`, `default_fallbacks`) include each group itself,
   * which is harmless because a call tries each group once.
   */
  function refuseCircle(
    setting: string,
    list: FallbackLists,
    resolve: (name: string) => string,
    meaning: string,
  ): void {
    const starts = Object.keys(list).filter((group) => group !== ANY_GROUP);
    const circle = findCircle(starts, (group) => ownList(list, group).map(resolve));
    if (circle === null) return;
    reader.findings.refuse(placeOf(setting, circle[0] as string), `${setting}: ${circle.join(" → ")}`, meaning);
  }

  /** Returns the group of an alias. Returns any other name unchanged. */
  function resolveAlias(name: string): string {
    let resolved = name;
    for (let depth = 0; depth < MAX_ALIAS_DEPTH && !groups.has(resolved); depth += 1) {
      resolved = aliases.get(resolved) ?? resolved;
    }
    return resolved;
  }

  function refuseLongAliases(): void {
    for (const alias of aliases.keys()) {
      let depth = 0;
      let name: string | undefined = alias;
      while (name !== undefined && depth <= MAX_ALIAS_DEPTH + 1 && !groups.has(name)) {
        name = aliases.get(name);
        depth += 1;
      }
      if (depth !== MAX_ALIAS_DEPTH + 1) continue;
      const place = placeOf("model_group_alias", alias);
      const suggestion = `aliases can be nested at most ${MAX_ALIAS_DEPTH} levels deep`;
      reader.findings.warn("advice", place, `model_group_alias: ${alias}`, suggestion);
    }
  }

  /** Returns the location of the setting: the router section, or the section that LiteLLM files use instead. */
  function placeOf(setting: string, group?: string): Place {
    const sections = [reader.sourceOf(file.router_settings), reader.sourceOf(file.gw_settings)];
    const section =
      sections.find((source) => descend(source, setting) !== null) ?? reader.sourceOf(file.router_settings);
    const node = descend(section, setting) ?? section;
    if (group === undefined) return node.place;
    const parts = node.kind === "list" ? node.items : [node];
    for (const part of parts)
      if (part.kind === "map" && part.entries.has(group)) return entryPlace(part.entries.get(group));
    return node.place;

    function entryPlace(entry: { readonly keyPlace: Place } | undefined): Place {
      return entry?.keyPlace ?? node.place;
    }
  }
}

/** Returns the fallbacks defined for a group's name, or for its name without the provider. */
function ownList(lists: FallbackLists, group: string): readonly string[] {
  const name = [group, group.slice(group.indexOf("/") + 1)].find((each) => Object.hasOwn(lists, each));
  return name === undefined || name === ANY_GROUP ? [] : (lists[name] ?? []);
}
