"""Sends the cases of the price suite with LiteLLM to the same scripted providers, and prints LiteLLM's cost of each.

Reads {"origin": ..., "cases": [...]} from standard input. Each cost is in nano-USD. If LiteLLM fails, its error is
printed instead.
"""

import json
import sys

import litellm
from litellm.litellm_core_utils.llm_cost_calc.tool_call_cost_tracking import (
    StandardBuiltInToolCostTracking as ToolCosts,
)
from litellm.llms.vertex_ai.vertex_llm_base import VertexBase

litellm.suppress_debug_info = True
litellm.telemetry = False
# The scripted provider accepts any token, and there is no Google account to get one from.
VertexBase._ensure_access_token = lambda self, credentials, project_id, **_: ("token", project_id or "acme")


IMAGES = "/v1/images/generations"


def main() -> None:
    job = json.load(sys.stdin)
    real = dict(litellm.model_cost)
    costs = {case["title"]: cost_of(case, job["origin"], real) for case in job["cases"]}
    print(json.dumps(costs))


def cost_of(case: dict, origin: str, real: dict) -> object:
    set_prices(case, real)
    try:
        return round(send(case, origin) * 1e9)
    except Exception as error:  # Any failure is a result: LiteLLM doesn't support the request.
        return f"{type(error).__name__}: {error}".split("\n")[0][:200]


def set_prices(case: dict, real: dict) -> None:
    """Sets the prices of a case under every name that LiteLLM looks up.

    Fees without a price for tokens are added to the prices of the real model. Other prices replace them.
    """
    litellm.model_cost.clear()
    litellm.model_cost.update(real)
    prices = case["prices"]
    if prices:
        provider, name = case["model"].split("/", 1)
        names = [case["model"], name, name.split("/")[-1], *case["served"]]
        known = next((real[key] for key in names if key in real), {})
        kept = {} if "input_cost_per_token" in prices else known
        mode = "image_generation" if case["path"] == IMAGES else "chat"
        entry = {**kept, "litellm_provider": provider, "mode": mode, "supports_web_search": True, **prices}
        for key in names:
            litellm.model_cost[key] = entry
    for function in vars(litellm.utils).values():
        if hasattr(function, "cache_clear"):
            function.cache_clear()


def send(case: dict, origin: str) -> float:
    model, request = case["model"], dict(case["request"])
    url = f"{origin}/{case['name']}"
    base = {"aws_bedrock_runtime_endpoint": url} if model.startswith("bedrock/") else {"api_base": url}
    settings = {"model": model, "max_retries": 0, **base, **case["connection"]}
    if case["path"] == IMAGES:
        response = litellm.image_generation(**settings, **request)
        return cost_of_response(response, model, "image_generation", request)
    if case["path"] == "/v1/responses":
        response = litellm.responses(**settings, **request)
        if request.get("stream"):
            completed = [event for event in response if getattr(event, "type", "") == "response.completed"]
            response = completed[-1].response
        return cost_of_response(response, model, "responses", request)
    if request.get("stream"):
        request["stream_options"] = {"include_usage": True}
    response = litellm.completion(**settings, **request)
    if request.get("stream"):
        response = litellm.stream_chunk_builder(list(response), messages=request["messages"])
    return cost_of_response(response, model, "completion", request)


def cost_of_response(response: object, model: str, call_type: str, request: dict) -> float:
    """Returns the cost that LiteLLM attached to a response, or computes it with the parameters that LiteLLM passes."""
    known = (getattr(response, "_hidden_params", None) or {}).get("response_cost")
    if known is not None:
        return known
    return litellm.completion_cost(
        completion_response=response,
        model=model,
        call_type=call_type,
        service_tier=request.get("service_tier"),
        optional_params=request,
        standard_built_in_tools_params={
            "web_search_options": ToolCosts._get_web_search_options(request),
            "file_search": ToolCosts._get_file_search_tool_call(request),
        },
    )


main()
