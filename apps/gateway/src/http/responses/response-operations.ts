import type { PageOperation } from "../api-operation.ts";
import { cancelResponse } from "./cancel-response.ts";
import { deleteResponse } from "./delete-response.ts";
import { listInputItems } from "./list-input-items.ts";
import { retrieveResponse } from "./retrieve-response.ts";

/** Returns every operation on stored responses, in the order of the API reference. */
export function responseOperations(): readonly PageOperation[] {
  return [retrieveResponse, deleteResponse, cancelResponse, listInputItems];
}
