import { relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import {
  createProject,
  LANGUAGES,
  type Language,
  ScaffoldRefused,
} from "@tollgate/coordinator/scaffold/create-project.ts";
import { EXIT, type Io, reportFailure } from "@tollgate/runtime/exit.ts";
import { reportTrainFailure } from "./report-train-failure.ts";
import { quoteWord } from "./run-name.ts";

const USAGE = `Create a training project that is ready to run, with a logistic model, synthetic data, and a plan.

  tollgate train new demo
  tollgate train new demo --language typescript

  --language NAME   python (default; 3.9 or later, no packages to install) or typescript

To start training: tollgate train run
`;

/** `tollgate train new`: creates a folder with a participant, a plan, and data. */
export async function trainNew(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      language: { type: "string", default: "python" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    io.stdout.write(USAGE);
    return EXIT.ok;
  }
  const [name, ...rest] = positionals;
  if (name === undefined || rest.length > 0) return reportFailure(io, `Specify one directory.\n\n${USAGE}`, EXIT.usage);
  if (!isLanguage(values.language)) {
    return reportFailure(io, `Unknown language '${values.language}'. Languages: ${LANGUAGES.join(", ")}.`, EXIT.usage);
  }
  const folder = resolve(io.cwd, name);
  try {
    const files = createProject(folder, values.language);
    const shown = relative(io.cwd, folder) || ".";
    io.stdout.write(`✓ Created ${shown}: ${files.filter((file) => !file.startsWith(".")).join(", ")}\n\n`);
    io.stdout.write(`Next:  cd ${quoteWord(shown)} && tollgate train run\n`);
    return EXIT.ok;
  } catch (error) {
    if (error instanceof ScaffoldRefused) return reportFailure(io, error.message, EXIT.usage);
    return reportTrainFailure(io, error);
  }
}

const isLanguage = (text: string): text is Language => (LANGUAGES as readonly string[]).includes(text);
