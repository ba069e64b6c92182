import type { Cell } from "../cell.ts";
import { retryStorm } from "./retry-storm.ts";
import { slowReaders } from "./slow-readers.ts";
import { slowSenders } from "./slow-senders.ts";

/** Clients that take, send or ask in ways that would wear a server down. */
export const clientCells: readonly Cell[] = [slowReaders, slowSenders, retryStorm];
