import { fireEvent, screen, waitFor } from "@testing-library/react";
import type { Operations } from "@tollgate/sdk/platform";
import { expect, test } from "vitest";
import { answerApi } from "../../testing/answer-api.fixture.ts";
import { renderConsole } from "../../testing/render-console.fixture.tsx";
import { SearchNotice } from "./search-notice.tsx";
import { useLogList } from "./use-log-list.ts";

type Answer = Operations["listLogs"]["answer"];

function partOf(searched: NonNullable<Answer["meta"]["searched"]>, nextCursor: string | null): Answer {
  const counts = { requests: 0, succeeded: 0, failed: 0, refused: 0, rejected: 0, canceled: 0 };
  return { data: [], meta: { page: 1, pageSize: 50, total: 0, totalPages: 0, counts, nextCursor, searched } };
}

function Search() {
  const list = useLogList({ content: "lamp" });
  return list.isSuccess && <SearchNotice list={list} zone="UTC" />;
}

test("says how far the search got, and goes on from there until the whole period was searched", async () => {
  const sent = answerApi({
    listLogs: ({ query }) =>
      query.get("cursor") === null
        ? partOf({ contents: 4_000, unreadable: 0, until: "2026-11-12T14:03:00.000Z" }, "further")
        : partOf({ contents: 20, unreadable: 2, until: "2026-11-01T00:00:00.000Z" }, null),
  });
  await renderConsole(<Search />);
  const status = await screen.findByRole("status");
  expect(status.textContent).toMatch(/Searched 4,000 requests with stored content, back to .*14:03/);
  fireEvent.click(screen.getByRole("button", { name: "Search further" }));
  await waitFor(() =>
    expect(status.textContent).toBe(
      "Searched all 4,020 requests with stored content in this period. 2 stored contents could not be decrypted.",
    ),
  );
  expect(screen.queryByRole("button")).toBeNull();
  // A search has no histogram, because it finds a part of the requests at a time.
  expect(sent.map(({ query }) => [query.get("content"), query.get("cursor"), query.get("include")])).toEqual([
    ["lamp", null, null],
    ["lamp", "further", null],
  ]);
});
