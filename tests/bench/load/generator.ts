import { answerCommands } from "../processes/ask.ts";
import type { LoadCommand } from "./commands.ts";
import { HeldLoad } from "./held-load.ts";
import { runClosedLoop } from "./run-closed-loop.ts";
import { runOpenLoop } from "./run-open-loop.ts";

// Program: generates the load on raw sockets, so that it uses less CPU than the measured program.

const held = new HeldLoad();

answerCommands<LoadCommand>((command) => {
  switch (command.kind) {
    case "closedLoop":
      return runClosedLoop(command);
    case "openLoop":
      return runOpenLoop(command);
    case "holdOpen":
      return held.open(command.target, command.streams, command.perSecond);
    case "countHeldBytes":
      return held.countBytes();
    case "awaitHeldEnd":
      return held.awaitEnd();
    case "dropHeld":
      return held.drop();
  }
});
