import { parseArgs } from "node:util";
import { type EventExplanation, explainEvent } from "@tollgate/db/ledger/explain-event.ts";
import { EXIT, reportFailure } from "@tollgate/runtime/exit.ts";
import { LEDGER_OPTIONS, LEDGER_OPTIONS_USAGE, withLedger } from "../database/ledger-connection.ts";
import type { OperatorIo } from "../operator-io.ts";
import { formatExactJson } from "./exact-json.ts";
import { formatExplanation } from "./ledger-explain-report.ts";

const USAGE = `Show how a request was priced and posted to the ledger.

  tollgate ledger explain use_01J…
  tollgate ledger explain 0198c1f2-…
  tollgate ledger explain my-own-label --json

${LEDGER_OPTIONS_USAGE}

The exit code is 1 if the request is not in the ledger.
`;

/**
 * `tollgate ledger explain`: shows how the usage of one call led to its posting. Exits with 1 if the call isn't found.
 */
export async function ledgerExplain(args: readonly string[], io: OperatorIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: LEDGER_OPTIONS,
  });
  if (values.help) {
    io.stdout.write(USAGE);
    return EXIT.ok;
  }
  const [reference, ...rest] = positionals;
  if (reference === undefined || rest.length > 0) {
    return reportFailure(io, `Specify one request ID or label.\n\n${USAGE}`, EXIT.usage);
  }
  return withLedger(
    {
      data: values.data ?? null,
      role: "tollgate_worker",
      work: async ({ db }) => tell(await explainEvent(db, reference), { reference, isJson: values.json }, io),
    },
    io,
  );
}

function tell(found: EventExplanation, asked: { reference: string; isJson: boolean }, io: OperatorIo): number {
  const code = found.kind === "settled" || found.kind === "parked" ? EXIT.ok : EXIT.failure;
  if (asked.isJson) io.stdout.write(`${formatExactJson(found)}\n`);
  else if (found.kind === "unknown") {
    reportFailure(io, `Request ${asked.reference} not found: it was neither settled nor parked.`, code);
  } else if (found.kind === "ambiguous") {
    reportFailure(
      io,
      `More than one request has this label. Choose one:\n${found.ids.map((id) => `  ${id}`).join("\n")}`,
      code,
    );
  } else io.stdout.write(formatExplanation(found));
  return code;
}
