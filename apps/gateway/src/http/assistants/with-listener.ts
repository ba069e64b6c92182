import type { Caller } from "../../call/caller.ts";
import type { ApiContext } from "../api-context.ts";
import type { PageAnswer } from "../api-operation.ts";

/**
 * Reserves a listener before a request has any effect, if the request streams a run. The work passes the function that
 * ends the listener to the stream. If the work fails, the listener ends here.
 */
export async function withListener(
  { listeners, current }: ApiContext,
  caller: Caller,
  isStreamed: boolean,
  work: (end: () => void) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const end = isStreamed ? listeners.open(caller, current().settings.assistants) : () => {};
  try {
    return await work(end);
  } catch (error) {
    end();
    throw error;
  }
}
