import type { CreateThreadRequest, ModifyThreadRequest } from "@tollgate/contracts/assistants/thread-object.ts";
import type { JsonFields, ThreadFields } from "@tollgate/domain/assistants/records.ts";

/** Returns the fields of a new thread with defaults applied. */
export function readThread(body: CreateThreadRequest): ThreadFields {
  return { metadata: {}, tool_resources: null, ...readThreadChange(body) };
}

/** Returns only the fields that an update sets. */
export function readThreadChange({ metadata, tool_resources: resources }: ModifyThreadRequest): Partial<ThreadFields> {
  return {
    ...(metadata !== undefined && { metadata: metadata ?? {} }),
    ...(resources !== undefined && { tool_resources: resources as JsonFields | null }),
  };
}
