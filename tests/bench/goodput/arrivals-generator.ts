import { runClosedLoop } from "../load/run-closed-loop.ts";
import { answerCommands } from "../processes/ask.ts";
import type { ArrivalsCommand } from "./arrivals.ts";
import { runArrivals } from "./run-arrivals.ts";

// Program: generates more load than can be served, on raw sockets, so that it uses less CPU than the measured program.

answerCommands<ArrivalsCommand>((command) =>
  command.kind === "arrivals" ? runArrivals(command) : runClosedLoop(command),
);
