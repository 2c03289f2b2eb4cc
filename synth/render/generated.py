"""Texts that no text node of the document holds: generated content, list markers, what form controls show."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import CDPSession, Page

Made = dict[int, dict[str, str]]
"""Texts by number of the element (`querySelectorAll("*")`) and by "before", "after" or "marker"."""

_PSEUDO = ("before", "after", "marker")
# Discs and squares are painted as shapes; the accessibility tree names them all the same.
_SHAPES = {"•", "◦", "▪", "▸", "▾"}
_KEEP = "function(host) { (host.pageloomTexts ??= []).push(this); }"


def generated(page: Page) -> Made:
    """The texts of pseudo-elements as printed, counters counted, from the browser's accessibility tree.

    The browser's own text nodes of form controls (and of missing pictures) are left at their elements as
    `pageloomTexts`: they are in no tree that a page can walk, but a highlight can be laid on them.
    """
    session = page.context.new_cdp_session(page)
    try:
        root = session.send("DOM.getDocument", {"depth": -1, "pierce": True})["root"]
        spoken = _spoken(session.send("Accessibility.getFullAXTree")["nodes"])
        made: Made = {}
        for number, element in enumerate(_elements(root)):
            for pseudo in element.get("pseudoElements", ()):
                kind, text = pseudo["pseudoType"], spoken.get(pseudo["backendNodeId"], "")
                if kind in _PSEUDO and text.strip() and not (kind == "marker" and text.strip() in _SHAPES):
                    made.setdefault(number, {})[kind] = text
            _keep_texts(session, element)
        return made
    finally:
        session.detach()


def _elements(node: dict[str, Any]) -> list[dict[str, Any]]:
    """Elements of the document in its order, without shadow trees, templates and frames."""
    found = [node] if node["nodeType"] == 1 else []
    for child in node.get("children", ()):
        found += _elements(child)
    return found


def _spoken(nodes: list[dict[str, Any]]) -> dict[int, str]:
    """Text of each pseudo-element by its backend node: that of the marker, or of all static texts below it."""
    by_id = {node["nodeId"]: node for node in nodes}
    found: dict[int, str] = {}
    for node in nodes:
        role, name = node.get("role", {}).get("value"), node.get("name", {}).get("value", "")
        if role == "ListMarker":
            found[node["backendDOMNodeId"]] = name
        elif role == "StaticText" and "backendDOMNodeId" not in node:
            above: dict[str, Any] | None = node
            while above is not None and "backendDOMNodeId" not in above:
                above = by_id.get(above.get("parentId", ""))
            if above is not None:
                owner = above["backendDOMNodeId"]
                found[owner] = found.get(owner, "") + name
    return found


def _keep_texts(session: CDPSession, element: dict[str, Any]) -> None:
    for shadow in element.get("shadowRoots", ()):
        if shadow.get("shadowRootType") != "user-agent":
            continue
        for text in _texts(shadow):
            node, host = (
                session.send("DOM.resolveNode", {"backendNodeId": n["backendNodeId"]})["object"]["objectId"]
                for n in (text, element)
            )
            session.send(
                "Runtime.callFunctionOn",
                {"objectId": node, "functionDeclaration": _KEEP, "arguments": [{"objectId": host}]},
            )


def _texts(node: dict[str, Any]) -> list[dict[str, Any]]:
    if node["nodeType"] == 3:
        return [node] if node["nodeValue"].strip() else []
    inner = [*node.get("shadowRoots", ()), *node.get("children", ())]
    return [text for child in inner for text in _texts(child)]
