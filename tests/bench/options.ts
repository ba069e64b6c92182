import { parseArgs } from "node:util";

export const sectionNames = ["json", "sse", "held", "holds"] as const;
export type SectionName = (typeof sectionNames)[number];

export interface BenchOptions {
  readonly isQuick: boolean;
  readonly printsJson: boolean;
  readonly rounds: number;
  readonly sections: readonly SectionName[];
  /** Contestants left out by wish. */
  readonly without: readonly string[];
  readonly profileFile: string | null;
  /** Another checkout of this project, to measure this one against. */
  readonly against: string | null;
}

export const usage = `Usage: bin/pnpm bench [options]
  --quick          about 90 seconds: fewer rounds and held streams
  --rounds N       rounds of slices (default 9, quick 3)
  --only SECTION   json, sse, held or holds
  --without NAME   leave a contestant out: tollgate, portkey or nginx; may be given more than once
  --json           print the result as one JSON object on the last line
  --against DIR    measure against another checkout of this project instead: what a change costs, in one run
  --profile FILE   profile Tollgate under JSON and stream load instead, keeping FILE-json.cpuprofile and FILE-sse.cpuprofile`;

const removable = ["tollgate", "portkey", "nginx"];

/** Reads the command line; throws a sentence for the user when it makes no sense. */
export function readOptions(args: string[]): BenchOptions {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      rounds: { type: "string" },
      only: { type: "string" },
      without: { type: "string", multiple: true, default: [] },
      profile: { type: "string" },
      against: { type: "string" },
    },
  });
  const rounds = Number(values.rounds ?? (values.quick ? 3 : 9));
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 100) throw new Error("--rounds takes a number from 1 to 100");
  const only = sectionNames.find((name) => name === values.only);
  if (values.only !== undefined && only === undefined) throw new Error(`--only takes ${sectionNames.join(", ")}`);
  const unknown = values.without.find((name) => !removable.includes(name));
  if (unknown !== undefined) throw new Error(`--without takes ${removable.join(", ")}`);
  return {
    isQuick: values.quick,
    printsJson: values.json,
    rounds,
    sections: only === undefined ? sectionNames : [only],
    without: values.without,
    profileFile: values.profile ?? null,
    against: values.against ?? null,
  };
}
