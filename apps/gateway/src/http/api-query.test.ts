import { ValidationFailure } from "@tollgate/contracts/failures.ts";
import { ListModelsQuery } from "@tollgate/contracts/models/list-models-query.ts";
import { expect, test } from "vitest";
import { createQueryReader } from "./api-query.ts";

const read = createQueryReader(ListModelsQuery);

function problemsOf(search: string): unknown {
  try {
    read(search);
  } catch (error) {
    if (error instanceof ValidationFailure) return error.problems.map(({ loc, type }) => [loc.join("."), type]);
    throw error;
  }
  return [];
}

test.each(["true", "1", "yes", "on", "TRUE", "Yes", "oN"])("%s is parsed as true", (word) => {
  expect(read(`?include_metadata=${word}`)).toEqual({ include_metadata: true });
});

test.each(["false", "0", "no", "off", "False", "NO"])("%s is parsed as false", (word) => {
  expect(read(`?include_metadata=${word}`)).toEqual({ include_metadata: false });
});

test("an empty value is parsed as null, and a missing parameter is absent from the result", () => {
  expect(read("?team_id=&scope=&return_wildcard_routes=")).toEqual({
    team_id: null,
    scope: null,
    return_wildcard_routes: null,
  });
  expect(read("")).toEqual({});
});

test("uses the last value of a repeated parameter and ignores unknown parameters", () => {
  expect(read("?scope=nonsense&scope=expand&other=1")).toEqual({ scope: "expand" });
});

test("lists every validation error with its parameter", () => {
  expect(problemsOf("?include_metadata=maybe&scope=all&return_wildcard_routes=2")).toEqual([
    ["query.return_wildcard_routes", "bool_parsing"],
    ["query.include_metadata", "bool_parsing"],
    ["query.scope", "literal_error"],
  ]);
  expect(problemsOf("?team_id=a%00b")).toEqual([["query.team_id", "string_pattern_mismatch"]]);
});

test("validates fallback_type only if include_metadata is true", () => {
  expect(read("?fallback_type=nonsense")).toEqual({});
  expect(problemsOf("?fallback_type=nonsense&include_metadata=true")).toEqual([
    ["query.fallback_type", "literal_error"],
  ]);
  expect(read("?fallback_type=context_window&include_metadata=1")).toEqual({
    fallback_type: "context_window",
    include_metadata: true,
  });
});
