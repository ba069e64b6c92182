import { randomBytes } from "node:crypto";
import { JetStreamApiError, jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { readEnginePorts } from "./engine-ports.ts";

/**
 * Unique stream name and subject prefix in the event log. The program under test creates the stream, as in production.
 */
export interface TestEventLog {
  readonly url: string;
  readonly streamName: string;
  readonly subjectPrefix: string;
  readonly connection: NatsConnection;
  release(): Promise<void>;
}

const STREAM_NOT_FOUND = 10_059;

/** Claims a stream name and subject prefix. `release` deletes the stream if it was created. */
export async function claimEventLog(port = readEnginePorts().nats): Promise<TestEventLog> {
  const url = `nats://127.0.0.1:${port}`;
  const connection = await connect({ servers: url });
  const id = randomBytes(8).toString("hex");
  const streamName = `TEST_${id}`;
  return {
    url,
    streamName,
    subjectPrefix: `test.${id}`,
    connection,
    release: async () => {
      const manager = await jetstreamManager(connection);
      try {
        await manager.streams.delete(streamName);
      } catch (error) {
        if (!(error instanceof JetStreamApiError) || error.code !== STREAM_NOT_FOUND) throw error;
      } finally {
        await connection.close();
      }
    },
  };
}
