import type { ManagementOperation } from "../operation.ts";
import { relay } from "./relay-operation.ts";
import { relayedOperations } from "./relayed-operations.ts";

export const relayOperations: readonly ManagementOperation[] = relayedOperations.map(relay);
