import { keepPreviousData, type UseQueryResult, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { CallInput, OperationId, Operations } from "@tollgate/sdk/platform";
import { useToast } from "../components/toast.tsx";
import { client } from "./client.ts";

type Answer<Id extends OperationId> = Operations[Id]["answer"];

interface ReadOptions {
  readonly enabled?: boolean;
  /** Polling interval in milliseconds; at least ten seconds, except for orders that aren't final. */
  readonly refetchMs?: number | false;
  /** Time during which a response counts as fresh, in milliseconds. */
  readonly staleMs?: number;
}

/** Calls a read operation. The page shows the old data while new data is loading. */
export function useCall<Id extends OperationId>(
  id: Id,
  input: CallInput<Id> = {} as CallInput<Id>,
  { enabled = true, refetchMs = false, staleMs = 5_000 }: ReadOptions = {},
): UseQueryResult<Answer<Id>, Error> {
  return useQuery({
    queryKey: [id, input],
    queryFn: ({ signal }) => client.call(id, { ...input, signal }),
    enabled,
    staleTime: staleMs,
    refetchInterval: refetchMs,
    placeholderData: keepPreviousData,
  });
}

interface ChangeOptions<Id extends OperationId> {
  /** Operations to refetch after the change. */
  readonly invalidates?: readonly OperationId[];
  /** Toast text after success. */
  readonly done?: string | ((answer: Answer<Id>) => string);
  readonly onDone?: (answer: Answer<Id>) => void;
  /** True if the page shows the failure itself, instead of a toast. */
  readonly isQuiet?: boolean;
}

/** Runs a change, shows its result as a toast, and refetches the affected operations. */
export function useChange<Id extends OperationId>(id: Id, options: ChangeOptions<Id> = {}) {
  const queries = useQueryClient();
  const toast = useToast();
  return useMutation<Answer<Id>, Error, CallInput<Id>>({
    mutationFn: (input) => client.call(id, input),
    onSuccess: async (answer) => {
      const { done, onDone } = options;
      if (done !== undefined) toast.done(typeof done === "string" ? done : done(answer));
      onDone?.(answer);
      await Promise.all(
        (options.invalidates ?? []).map((touched) => queries.invalidateQueries({ queryKey: [touched] })),
      );
    },
    onError: (error) => {
      if (options.isQuiet !== true) toast.failed(error);
    },
  });
}
