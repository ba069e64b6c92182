import { parseArgs } from "node:util";
import { type Rehearsal, rehearse } from "./rehearse.ts";

const USAGE = `Lose a database, restore it from a backup, and recover later usage from the gateways' journals.

  node tests/restore/run.ts --quick --json

  --quick            a few hundred calls instead of a few thousand
  --lose-journals    also lose the gateways' disks; then exactly the usage since the backup is lost
  --json             print the result as one JSON object on the last line
`;

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    "lose-journals": { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});

if (values.help) {
  console.log(USAGE);
} else {
  const losesJournals = values["lose-journals"];
  const rehearsal = await rehearse({
    rate: 60,
    seconds: values.quick ? 2 : 20,
    losesJournals,
    print: (line) => console.log(line),
  });
  const problems = findProblems(rehearsal, losesJournals);
  for (const problem of problems) console.error(`  ✗ ${problem}`);
  if (problems.length === 0) {
    console.log(
      losesJournals
        ? "restore: what came after the backup is lost with the journals, and nothing else is"
        : "restore: every call that was answered is in the books once",
    );
  }
  if (values.json) console.log(JSON.stringify(rehearsal));
  process.exitCode = problems.length === 0 ? 0 : 1;
}
// Exit explicitly, so that exit handlers stop everything that is still running.
process.exit();

/**
 * Returns the problems found in a rehearsal. A rehearsal without calls after the backup is also a problem, because it
 * proves nothing.
 */
function findProblems(found: Rehearsal, losesJournals: boolean): string[] {
  const missing = losesJournals ? found.after_backup : 0;
  return [
    ...(found.lost !== missing ? [`${found.lost} calls are in no book, and ${missing} should be`] : []),
    ...(found.double_billed > 0 ? [`${found.double_billed} calls are billed twice or too high`] : []),
    ...(found.failed > 0 ? [`${found.failed} calls failed while nothing was broken`] : []),
    ...(found.verify_differences > 0 ? [`the books differ ${found.verify_differences} times`] : []),
    ...(found.after_backup === 0 ? ["no call came after the backup"] : []),
    ...(found.settled_after_backup === 0 ? ["no call after the backup was settled before the loss"] : []),
    ...(found.replayed !== found.after_backup - missing
      ? [`${found.replayed} of ${found.after_backup} calls came back`]
      : []),
  ];
}
