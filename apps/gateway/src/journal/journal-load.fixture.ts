import { writeSync } from "node:fs";
import { createUuidV7Source } from "@tollgate/domain/ids.ts";
import { testCall, testFacts } from "@tollgate/journal/records.fixture.ts";
import { Journal } from "./journal.ts";

/**
 * Journals calls as fast as possible, `outstanding` at a time, until the process is killed or has journaled `count`
 * calls. Prints a line per event directly to the pipe: "open", "ack", and "fail" with an ID, and "state" with a name.
 */
const [directory = "", outstanding = "1", count = "Infinity", segmentBytes = "262144"] = process.argv.slice(2);

const say = (line: string): void => {
  writeSync(1, `${line}\n`);
};

const makeId = createUuidV7Source(Date.now);
const journal = await Journal.open({
  directory,
  nodeId: "node_load",
  epoch: 1,
  segmentBytes: Number(segmentBytes),
  emergencyBytes: 128 * 1_024,
  onStateChange: (state) => say(`state ${state}`),
});

let left = Number(count);
let running = 0;

function next(): void {
  if (left === 0) {
    if (running === 0) void journal.close().then(() => say("closed"));
    return;
  }
  left -= 1;
  running += 1;
  const id = makeId();
  const call = testCall(0, { id, requestId: id });
  journal.appendOpen(call);
  const end = (line: string) => {
    say(line);
    running -= 1;
    next();
  };
  journal.appendClose(call, testFacts(), {
    onJournaled: () => end(`ack ${id}`),
    onJournalFailed: () => end(`fail ${id}`),
  });
}

say("ready");
for (let index = 0; index < Number(outstanding); index += 1) next();
