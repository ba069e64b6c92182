import { parseArgs } from "node:util";

export const sectionNames = ["json", "sse", "held", "holds", "light", "idle", "bodies"] as const;
export type SectionName = (typeof sectionNames)[number];

/** Sections of a quick run without `--only`. */
const quickSections = sectionNames.filter((name) => name !== "bodies");

/**
 * Purpose of a run: ratios to a bare proxy, a table of peers, the inputs of the scaling model, the cost of TLS, or
 * the cost of a call at several rates.
 */
export type BenchPurpose = "ratios" | "peers" | "model" | "tls" | "load";

/** Calls per second, or as many as a contestant can serve. */
export type LoadRate = number | "max";

export interface BenchOptions {
  readonly purpose: BenchPurpose;
  readonly isQuick: boolean;
  readonly printsJson: boolean;
  readonly rounds: number;
  readonly sections: readonly SectionName[];
  /** Contestants that an option excludes. */
  readonly without: readonly string[];
  readonly profileFile: string | null;
  /** Another checkout of this project to compare against. */
  readonly against: string | null;
  /** The rates of `--load`. */
  readonly rates: readonly LoadRate[];
  /** Output file for the raw figures of the peers, the model, or another purpose. */
  readonly outFile: string | null;
}

export const usage = `Usage: bin/pnpm bench [options]
  --quick          about 3 minutes: fewer rounds, warm-up calls, and held streams, and no bodies
  --rounds N       rounds of slices (default 9, quick 3)
  --only SECTIONS  json, sse, held, holds, light, idle, or bodies; or several of them, separated by commas
  --without NAME   exclude a program: tollgate, tollgate-unpinned, bare-sockets, portkey, litellm, or nginx; can be repeated
  --json           print the result as one JSON object on the last line
  --against DIR    measure against another checkout of this project instead, to see the cost of a change
  --peers          measure other gateways and this one instead, in one interleaved run (run scripts/peers-setup first)
  --model          measure the inputs of the scaling model instead, predict other sizes, and measure those
  --tls            measure the cost of TLS to clients and the upstream instead
  --load RATES     measure latency and CPU time per call at several rates instead, such as 20,400,800,max
  --out FILE       with --peers, --model, --tls, or --load: also write the raw figures to FILE
  --profile FILE   profile every thread of Tollgate under JSON and stream load instead, and save FILE-json-THREAD.cpuprofile and FILE-sse-THREAD.cpuprofile`;

const removable = ["tollgate", "tollgate-unpinned", "bare-sockets", "portkey", "litellm", "nginx"];
const maxRate = 100_000;

/** Parses the command line. Throws a user-facing error if it is invalid. */
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
      peers: { type: "boolean", default: false },
      model: { type: "boolean", default: false },
      tls: { type: "boolean", default: false },
      load: { type: "string" },
      out: { type: "string" },
    },
  });
  const rounds = Number(values.rounds ?? (values.quick ? 3 : 9));
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 100) throw new Error("--rounds takes a number from 1 to 100");
  const unknown = values.without.find((name) => !removable.includes(name));
  if (unknown !== undefined) throw new Error(`--without takes ${removable.join(", ")}`);
  const purposes = (["peers", "model", "tls", "load"] as const).filter((name) => values[name]);
  if (purposes.length > 1) throw new Error("--peers, --model, --tls, and --load are runs of their own");
  return {
    purpose: purposes[0] ?? "ratios",
    isQuick: values.quick,
    printsJson: values.json,
    rounds,
    sections: readSections(values.only, values.quick),
    without: values.without,
    profileFile: values.profile ?? null,
    against: values.against ?? null,
    rates: values.load === undefined ? [] : values.load.split(",").map(readRate),
    outFile: values.out ?? null,
  };
}

function readSections(only: string | undefined, isQuick: boolean): readonly SectionName[] {
  if (only === undefined) return isQuick ? quickSections : sectionNames;
  return only.split(",").map((wanted) => {
    const section = sectionNames.find((name) => name === wanted);
    if (section === undefined) throw new Error(`--only takes ${sectionNames.join(", ")}`);
    return section;
  });
}

function readRate(text: string): LoadRate {
  if (text === "max") return text;
  const rate = Number(text);
  if (!Number.isInteger(rate) || rate < 1 || rate > maxRate)
    throw new Error(`--load takes rates from 1 to ${maxRate} and max, separated by commas`);
  return rate;
}
