import type { Cell } from "../cell.ts";
import { retryStorm } from "./retry-storm.ts";
import { slowReaders } from "./slow-readers.ts";
import { slowSenders } from "./slow-senders.ts";

/** Cells whose clients read, send, or retry in ways that could exhaust a server. */
export const clientCells: readonly Cell[] = [slowReaders, slowSenders, retryStorm];
