import { keepPreviousData, type UseQueryResult, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { CallInput, OperationId, Operations } from "@tollgate/sdk/platform";
import { useToast } from "../components/toast.tsx";
import { client } from "./client.ts";

type Answer<Id extends OperationId> = Operations[Id]["answer"];

interface ReadOptions {
  readonly enabled?: boolean;
  /** Asks again every so many milliseconds; ten seconds at the least, but for orders that are not final. */
  readonly refetchMs?: number | false;
  /** How long an answer is good without asking again. */
  readonly staleMs?: number;
}

/** Reads an operation. Old data stays on the page while new data is on its way. */
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
  /** Operations whose answers are others now. */
  readonly invalidates?: readonly OperationId[];
  /** What to say when it is done. */
  readonly done?: string | ((answer: Answer<Id>) => string);
  readonly onDone?: (answer: Answer<Id>) => void;
  /** Where the page shows the failure itself. */
  readonly isQuiet?: boolean;
}

/** Makes a change: says what came of it, and has everything read again that it touched. */
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
