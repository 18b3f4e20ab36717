"""The tools over a legal world.

catalogue    the 37 tools and the extra ones: names, sentences, schemas
toolbox      all tools over one world, called by name
strict       look-ups exactly as published
arithmetic   arithmetic exactly as published, without eval
retrievers   search in the three collections of texts
helpful      the tools as they should be
observation  what a call gives back
"""

from __future__ import annotations

from hengfa.world.tools.catalogue import EXTRA_TOOLS, TOOL_OF, TOOLS, Mode, Tool, tools_of_tables
from hengfa.world.tools.observation import Observation, Status
from hengfa.world.tools.toolbox import Toolbox

__all__ = [
    "EXTRA_TOOLS",
    "TOOLS",
    "TOOL_OF",
    "Mode",
    "Observation",
    "Status",
    "Tool",
    "Toolbox",
    "tools_of_tables",
]
