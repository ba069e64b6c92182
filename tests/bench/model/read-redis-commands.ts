import { connect } from "node:net";
import { readEnginePorts } from "@tollgate/testkit/engine-ports.ts";

/** Returns the number of commands that the test Redis server has received. */
export function readRedisCommands(): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(readEnginePorts().redis, "127.0.0.1", () => socket.write("INFO stats\r\n"));
    let text = "";
    socket.on("error", reject);
    socket.on("data", (data) => {
      text += data.toString("latin1");
      const found = /total_commands_processed:(\d+)\r\n/.exec(text)?.[1];
      if (found === undefined) return;
      socket.destroy();
      resolve(Number(found));
    });
  });
}
