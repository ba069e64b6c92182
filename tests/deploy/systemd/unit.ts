import { readFileSync } from "node:fs";
import { root } from "../paths.ts";

export const unitPath = `${root}/deploy/systemd/tollgate.service`;

/** Returns every setting of the unit with all its values, in order. */
export function readUnit(): ReadonlyMap<string, readonly string[]> {
  const unit = new Map<string, string[]>();
  for (const line of readFileSync(unitPath, "utf8").split("\n")) {
    const [, name, value = ""] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (name !== undefined) unit.set(name, [...(unit.get(name) ?? []), value]);
  }
  return unit;
}
