"""An agent without a mind of its own: it does what the answers say next, and all that it knows comes from them.

It mends `scale.rs` and halves its cycles. What it called must be `calls.json`, its answers must fit their schemas and the command
line's own figures, and the file must be `mended.rs` at the end.
"""

import asyncio
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

HERE = pathlib.Path(__file__).parent
PROGRAM = os.environ["VISA_LINT"]
CACHE = pathlib.Path(sys.argv[1])
TOOLS = [
    "check", "compare", "cost", "explain", "fix", "free_addresses", "map", "rules", "run", "sequence", "stages", "suggest", "what_if",
]


# What an agent may read and write until the kernel is twice as fast, and of that what it reads before its first call.
MOST_TOKENS = 15_000
MOST_BEFORE = 4_400


def tokens_of_list(text):
    """At most: the encodings of public models hold 4.3 (o200k_base) and 4.5 bytes (cl100k_base) of the list of tools in one."""
    return -(-len(text.encode()) // 4)


def tokens_of_call(text):
    """At most: places and numbers take more, 2.4 to 3.2 bytes are in one."""
    return -(-len(text.encode()) // 2)


class Agent:
    """Calls tools and writes down what it called and what it was answered."""

    def __init__(self, session):
        self.session = session
        self.calls = []
        self.exchange = []
        self.tokens = 0
        self.names = {}

    async def call(self, tool, **arguments):
        # The client checks the answer against the tool's output schema.
        result = await self.session.call_tool(tool, arguments)
        text = result.content[0].text
        assert not result.is_error, f"{tool} {arguments}: {text}"
        answer = result.structured_content
        assert answer == json.loads(text), f"{tool}: the text says something else than the structure"
        self.write_down(tool, arguments, answer, text)
        return answer

    async def refused(self, tool, **arguments):
        result = await self.session.call_tool(tool, arguments)
        text = result.content[0].text
        assert result.is_error, f"{tool} {arguments} is answered: {text}"
        self.write_down(tool, arguments, {"error": text}, text)
        return text

    def write_down(self, tool, arguments, answer, said):
        # A client gives its agent the text of an answer or its structure, which say the same.
        self.tokens += tokens_of_call(json.dumps({"name": tool, "arguments": arguments}) + said)
        self.exchange.append({"tool": tool, "arguments": arguments, "answer": answer})
        # The ids of changes are hashes; here they are counted.
        shown = json.loads(json.dumps(arguments))
        for at, name in enumerate(shown.get("ids", [])):
            shown["ids"][at] = self.names.setdefault(name, f"change {len(self.names) + 1}")
        self.calls.append({"tool": tool, "arguments": shown})


def as_sent(result):
    """A result as it came, in the fewest bytes."""
    return json.dumps(result.model_dump(mode="json", by_alias=True, exclude_none=True), separators=(",", ":"), ensure_ascii=False)


def command_line(folder, *arguments):
    """What the program itself says of the same files."""
    done = subprocess.run([PROGRAM, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


def cycles_by_command_line(folder):
    return command_line(folder, "cost", "scale.rs", "--format", "json")["kernels"][0]["cycles"]["calibrated"]["total"]


async def mend(agent, folder):
    """From findings to none."""
    source = folder / "scale.rs"
    faulty = source.read_text()
    checked = await agent.call("check")
    assert checked["counts"] == {"deny": 1, "warn": 1, "unresolved": 0}, checked["counts"]
    fault = checked["findings"][0]
    assert (fault["rule"], fault["level"], fault["places"]) == ("alu_reuse", "deny", ["scale.rs:20:27"]), fault
    by_command_line = command_line(folder, "check", "scale.rs", "--format", "json")
    assert [one["rule"] for one in by_command_line["diagnostics"]] == [one["rule"] for one in checked["findings"]]

    page = (await agent.call("explain", text=fault["rule"]))["page"]
    assert page.startswith("# alu_reuse\n") and "## Right" in page, page

    change = fault["fixes"][0]
    preview = await agent.call("fix", ids=[change["id"]])
    assert not preview["applied"] and preview["after"]["deny"] == 0, preview
    removed = [line for line in preview["diff"].splitlines() if line.startswith("-        ")]
    assert removed == ["-        .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), 1.5)"], preview["diff"]
    assert source.read_text() == faulty, "a preview has written"
    applied = await agent.call("fix", ids=[change["id"]], apply=True)
    assert applied["applied"] and applied["files"] == ["scale.rs"], applied
    assert source.read_text() == faulty.replace("Mul0), 1.5", "Mul1), 1.5"), source.read_text()
    assert "another text" in await agent.refused("fix", ids=[change["id"]], apply=True)


async def hasten(agent, folder):
    """From its cycles to half of them."""
    source = folder / "scale.rs"
    before = (await agent.call("cost", kernel="scale"))["kernels"][0]
    assert before["cycles"] == cycles_by_command_line(folder), before
    slowest = before["operations"][0]
    assert slowest["critical"], slowest
    stages = await agent.call("stages", path="scale.rs", operation=slowest["id"])
    assert [one["id"] for one in stages["operations"]] == [slowest["id"]], stages

    # Its own idea first: what it costs is known before anything is written.
    text = source.read_text()
    tried = await agent.call(
        "what_if", edits=[{"path": "scale.rs", "old": "    y.to_hbm(", "new": "    let y: Spread = y.to_dm(&mut device.tdma);\n    y.to_hbm("}]
    )
    assert tried["kernels"][0]["difference"] > 0, tried
    assert source.read_text() == text, "a trial has written"

    found = (await agent.call("suggest", kernel="scale"))["kernels"][0]
    best = found["proposals"][0]
    assert best["saves"] * 2 >= before["cycles"], best
    applied = await agent.call("fix", ids=[best["change"]["id"]], apply=True)
    assert applied["applied"] and applied["after"]["deny"] == 0, applied
    after = (await agent.call("cost", kernel="scale"))["kernels"][0]
    assert after["cycles"] == best["cycles"] == before["cycles"] - best["saves"], after
    assert after["cycles"] == cycles_by_command_line(folder), after
    assert after["cycles"] * 2 <= before["cycles"], (before["cycles"], after["cycles"])
    # In this library the compiler chooses addresses: what is not known is said, and not invented.
    free = await agent.call("free_addresses", path="scale.rs", memory="dm")
    assert free["free"] == [] and "chooses" in free["unknown"], free
    assert free["capacity"] == [{"memory": "dm", "bytes": 512 * 1024}], free
    # Two tensors of 64 elements of 4 bytes in a slice, at once.
    assert after["peak"]["dm_bytes"] == 2 * 64 * 4, after

    checked = await agent.call("check", path="scale.rs")
    assert checked["counts"]["deny"] == 0 and checked["counts"]["unresolved"] == 0, checked
    return before["cycles"], after["cycles"]


async def main():
    with tempfile.TemporaryDirectory() as name:
        # As the system knows the folder: answers must not name it in any way.
        folder = pathlib.Path(name).resolve()
        shutil.copy(HERE / "scale.rs", folder)
        server = StdioServerParameters(command=PROGRAM, args=["mcp", str(folder)])
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            hello = await session.initialize()
            assert hello.server_info.name == "visa-lint", hello
            tools = await session.list_tools()
            first = tokens_of_list(as_sent(hello) + as_sent(tools))
            assert first <= MOST_BEFORE, f"{first} tokens before the first call"
            listed = tools.tools
            assert [tool.name for tool in listed] == TOOLS, listed
            for tool in listed:
                assert tool.description and tool.output_schema and tool.input_schema["additionalProperties"] is False, tool
            agent = Agent(session)
            agent.tokens = first
            await mend(agent, folder)
            before, after = await hasten(agent, folder)
        final = (folder / "scale.rs").read_text()
        exchange = json.dumps(agent.exchange, indent=2) + "\n"
    (CACHE / "exchange.json").write_text(exchange)
    assert str(folder) not in exchange, "an answer says where the workspace is"
    assert final == (HERE / "mended.rs").read_text(), final
    calls = json.dumps(agent.calls, indent=2) + "\n"
    expected = HERE / "calls.json"
    if os.environ.get("UPDATE_EXPECT"):
        expected.write_text(calls)
    assert calls == expected.read_text(), f"other calls than in {expected}: {calls}"
    assert agent.tokens <= MOST_TOKENS, f"{agent.tokens} tokens"
    print(
        f"mcp test: {len(agent.calls)} calls, `scale` mended, {before} cycles to {after}, in at most {agent.tokens} tokens, "
        f"{first} of them before the first call"
    )


asyncio.run(main())
