import type { ManagementOperation } from "../operation.ts";
import { createMessage } from "./create-message.ts";

export const messageOperations: readonly ManagementOperation[] = [createMessage];
