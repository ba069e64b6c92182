import { describe, expect, test } from "vitest";
import { ProxyProblem, readProxies } from "./outbound-proxy.ts";

const through = (env: NodeJS.ProcessEnv, target: string) => readProxies(env)(new URL(target))?.url.origin ?? "direct";

describe("the outbound proxy", () => {
  test("is chosen per scheme from variables in either case, and lowercase takes precedence", () => {
    const env = { HTTPS_PROXY: "http://secure:3128", http_proxy: "http://plain:3129", HTTP_PROXY: "http://other:1" };
    expect(through(env, "https://api.openai.com/v1")).toBe("http://secure:3128");
    expect(through(env, "http://models.example/v1")).toBe("http://plain:3129");
    expect(through({ HTTPS_PROXY: "" }, "https://api.openai.com")).toBe("direct");
    expect(through({ HTTPS_PROXY: "proxy:3128" }, "https://api.openai.com")).toBe("http://proxy:3128");
  });

  test.each([
    ["*", "https://api.openai.com", true],
    ["openai.com", "https://api.openai.com", true],
    [".openai.com", "https://api.openai.com", true],
    ["*.openai.com", "https://api.openai.com", true],
    ["penai.com", "https://api.openai.com", false],
    ["api.openai.com:8443", "https://api.openai.com", false],
    ["api.openai.com:443", "https://api.openai.com", true],
    ["other.example, API.OpenAI.com", "https://api.openai.com", true],
    ["10.0.0.0/8", "https://10.1.2.3", true],
    ["10.0.0.0/8", "https://11.1.2.3", false],
    ["fd00::/8", "https://[fd12::1]", true],
    ["192.0.2.7", "https://192.0.2.7", true],
  ])("with NO_PROXY=%s is bypassed for %s: %s", (exempt, target, isDirect) => {
    expect(through({ HTTPS_PROXY: "http://proxy:3128", NO_PROXY: exempt }, target) === "direct").toBe(isDirect);
  });

  test.each(["https://localhost:4000", "https://127.0.0.1", "https://[::1]:9"])("is never used for %s", (target) => {
    expect(through({ HTTPS_PROXY: "http://proxy:3128" }, target)).toBe("direct");
  });

  test("has its credentials in a header that cannot be printed", () => {
    const proxy = readProxies({ HTTPS_PROXY: "http://me:p%40ss@proxy:3128" })(new URL("https://api.openai.com"));
    expect(proxy?.authorization?.reveal()).toBe(`Basic ${Buffer.from("me:p@ss").toString("base64")}`);
    expect(JSON.stringify(proxy)).not.toContain("ss");
    expect(proxy?.url.href).toBe("http://proxy:3128/");
  });

  test("is rejected if its URL is invalid, and the error doesn't show the URL", () => {
    expect(() => readProxies({ HTTPS_PROXY: "socks5://me:hidden@proxy" })).toThrow(ProxyProblem);
    expect(() => readProxies({ HTTPS_PROXY: "socks5://me:hidden@proxy" })).not.toThrow("hidden");
  });
});
