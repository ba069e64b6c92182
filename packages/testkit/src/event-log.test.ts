import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { expect, test } from "vitest";
import { claimEventLog } from "./event-log.ts";

test("stores events under unique names and deletes them on release", async () => {
  const [log, other] = [await claimEventLog(), await claimEventLog()];
  const manager = await jetstreamManager(other.connection);
  await manager.streams.add({ name: log.streamName, subjects: [`${log.subjectPrefix}.>`] });
  await jetstream(log.connection).publish(`${log.subjectPrefix}.usage`, "{}", { msgID: "1" });
  const again = await jetstream(log.connection).publish(`${log.subjectPrefix}.usage`, "{}", { msgID: "1" });
  expect(again.duplicate).toBe(true);
  expect((await manager.streams.info(log.streamName)).state.messages).toBe(1);

  await log.release();
  await expect(manager.streams.info(log.streamName)).rejects.toThrow("stream not found");
  await other.release();
});
