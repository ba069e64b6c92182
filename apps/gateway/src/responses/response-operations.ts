import type { PageOperation } from "../edge/rest-operation.ts";
import { cancelResponse } from "./cancel-response.ts";
import { deleteResponse } from "./delete-response.ts";
import { listInputItems } from "./list-input-items.ts";
import { retrieveResponse } from "./retrieve-response.ts";

/** Every operation on responses that are kept, in the order the reference shows them. */
export function responseOperations(): readonly PageOperation[] {
  return [retrieveResponse, deleteResponse, cancelResponse, listInputItems];
}
