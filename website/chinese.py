"""The words of the reference pages: in both languages where the code has none, in Chinese where it has English ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradguard.rules.messages import Locale

WORDS: dict[Locale, dict[str, str]] = {
    "en": {
        "project": (
            "A project's settings stand under `[tool.gradguard]` in its `pyproject.toml`, or without that prefix in a "
            "`gradguard.toml`. The nearest file up from a source file wins, whole: tables of different files are not "
            "merged, and a `pyproject.toml` without the table is passed over.\n\n"
            '```toml\n[tool.gradguard]\nignore = ["GG111"]\nmin-severity = "warning"\n\n'
            '[tool.gradguard.per-file-ignores]\n"tests/**" = ["GG301"]\n```'
        ),
        "operators": (
            "What an operator in C++, CUDA or Triton does to its arguments cannot be read off Python. Tell it, and it "
            "takes part in the analysis:\n\n"
            '```toml\n[tool.gradguard.ops."fast_ops.gate"]\nparams = ["input", "scale"]\nsaves = ["input", "out"]\n```'
        ),
        "comments": (
            "A comment silences the statement that it stands in: `# gradguard: ignore[GG101]`, or for all rules "
            "`# gradguard: ignore`. `# gradguard: ignore-file` silences a file. A comment that silences nothing is "
            "itself reported ([GG900](../rules/unused-suppression.md)).\n\n"
            "`# noqa: GG101` does the same, but ruff reads such comments, too, and takes the code for a mistake "
            "(RUF102) unless it is told that others use it:\n\n"
            '```toml\n[tool.ruff.lint]\nexternal = ["GG"]\n```'
        ),
        "schema": (
            "`gradguard schema` prints a JSON schema of these settings, with which an editor of TOML completes and "
            "checks them. Even Better TOML, Taplo and Tombi read its place from the first line of a "
            "`gradguard.toml`:\n\n"
            "```toml\n#:schema gradguard.schema.json\n```"
        ),
        "editors": (
            "An editor sends these as initialization options, or as its `gradguard` settings whenever they change; "
            "wrong ones are named and left out. What is not set is left to the project's file."
        ),
    },
    "zh-cn": {
        "Command line": "命令行",
        "Configuration": "配置",
        "Operators of your own": "自有算子",
        "Comments": "注释",
        "Editors": "编辑器",
        "setting": "设置",
        "option": "选项",
        "default": "默认值",
        "what": "说明",
        "project": (
            "项目的设置写在 `pyproject.toml` 的 `[tool.gradguard]` 之下，或者不带此前缀写在 `gradguard.toml` 中。"
            "从源文件向上最近的一个文件生效，且整体生效：不同文件的表不会合并，"
            "没有该表的 `pyproject.toml` 会被跳过。\n\n"
            '```toml\n[tool.gradguard]\nignore = ["GG111"]\nmin-severity = "warning"\n\n'
            '[tool.gradguard.per-file-ignores]\n"tests/**" = ["GG301"]\n```'
        ),
        "operators": (
            "用 C++、CUDA 或 Triton 写的算子对其参数做了什么，从 Python 中看不出来。写明之后，它就会参与分析：\n\n"
            '```toml\n[tool.gradguard.ops."fast_ops.gate"]\nparams = ["input", "scale"]\nsaves = ["input", "out"]\n```'
        ),
        "comments": (
            "注释会使它所在的语句不再报告：`# gradguard: ignore[GG101]`，或 `# gradguard: ignore`（所有规则）。"
            "`# gradguard: ignore-file` 对整个文件有效。没有抑制任何内容的注释本身也会被报告"
            "（[GG900](../rules/unused-suppression.md)）。\n\n"
            "`# noqa: GG101` 的作用相同，但 ruff 也会读取这类注释，并把该代码当作错误（RUF102），"
            "除非告诉它这些代码由其他工具使用：\n\n"
            '```toml\n[tool.ruff.lint]\nexternal = ["GG"]\n```'
        ),
        "schema": (
            "`gradguard schema` 打印这些设置的 JSON schema，编辑 TOML 的编辑器可用它来补全和检查。"
            "Even Better TOML、Taplo 和 Tombi 从 `gradguard.toml` 的第一行读取其位置：\n\n"
            "```toml\n#:schema gradguard.schema.json\n```"
        ),
        "editors": (
            "编辑器在初始化时，以及设置变更时，以 `gradguard` 为名发送这些设置；有误的设置会被指出并忽略。"
            "没有设置的内容由项目的配置文件决定。"
        ),
    },
}

SETTINGS = {
    "project select": "启用的规则：代码、代码前缀（`GG1`）、名称或 `ALL`",
    "project ignore": "关闭的规则；与 `select` 冲突时，较长的写法生效",
    "project min_severity": (
        "计入的最低严重级别：`error`、`warning`、`information` 或 `hint`；未设置时，编辑器显示全部，"
        "命令行只报告 `warning` 及以上"
    ),
    "project exclude": "不检查的文件和文件夹的模式，在 git 所忽略的之外",
    "project extend_exclude": "在 `exclude` 之外追加的模式",
    "project per_file_ignores": "按文件模式列出在那里关闭的规则",
    "project src": "查找导入的文件夹，在文件自身的文件夹、其上级以及 `src/` 之外",
    "project torch": "代码所用的 PyTorch 版本，例如 `2.8`；未设置时，取项目环境中的版本，或锁文件与清单中的版本",
    "project models": "存放模型的文件夹；模型用普通 Python 说明项目导入但并不包含的库做了什么",
    "project ops": "按带点的全名，说明您自己的算子做了什么",
    "operator params": "按顺序列出参数，供以位置传参的调用使用",
    "operator saves": "它为反向传播保存的参数；`out` 指其结果",
    "operator mutates": "它就地修改的参数",
    "editor diagnosticMode": "报告哪些问题：`openFilesOnly` 为已打开文件所属的程序，`workspace` 为工作区的所有文件",
    "editor inlayHints": (
        "在行尾显示哪些版本号：`changed` 为被某个操作保存之后又被程序就地修改的张量，"
        "`saved` 为被某个操作保存的所有张量，`all` 为所有被修改的张量"
    ),
    "editor highlight": (
        "光标在何处高亮一个张量的所有位置：`operators` 为使用它的运算符和修改它的方法，`all` 为任何位置，取代名称的高亮"
    ),
    "editor hoverLessons": "悬停时是否说明操作保存了什么，并纠正常见误解",
    "editor fixAll": "是否提供一次应用文件中所有安全修复的操作",
    "editor minSeverity": "显示的最低严重级别",
    "editor select": "只启用这些规则",
    "editor ignore": "不启用这些规则，另加项目所忽略的规则",
    "editor configuration": "用以代替最近的配置文件的文件",
    "editor python": "项目所用的 Python，由编辑器选定：其中的 PyTorch 版本决定判断",
}
"""what a setting does, by its scope and name"""

OPTIONS = {
    "check": "检查 Python 文件和笔记本中会破坏 `backward()` 的就地修改。",
    "check paths": "文件和文件夹；`-` 表示标准输入（默认：当前文件夹）",
    "check output_format": "输出格式（默认：full）",
    "check output_file": "把发现写入该文件，而不是标准输出",
    "check quiet": "只报告发现和出错之处，别无其他",
    "check verbose": "说明哪些设置生效、用时，以及重放没有到达的地方",
    "check color": "（默认：auto，在终端上使用颜色）",
    "check show_files": "不检查，只列出文件",
    "check show_settings": "不检查，只显示生效的设置",
    "check fix": "应用保持所有数值不变的修复",
    "check unsafe_fixes": "与 `--fix` 或 `--diff` 一起使用：也包括其他修复",
    "check diff": "不写文件，只显示 `--fix` 会作的修改",
    "check select": "只启用这些规则：代码、`GG1`、名称、`ALL`",
    "check ignore": "不启用这些规则",
    "check min_severity": "阈值（默认：warning）",
    "check torch": "在此 PyTorch 版本中会发生什么；`all` 则列出各版本之间的差别",
    "check config": "对所有文件使用此配置",
    "check force_exclude": "对命令行上指名的路径也遵守 `exclude`",
    "check stdin_filename": "标准输入所代表的文件",
    "check statistics": "只显示每条规则被违反的次数，以及重放走了多远",
    "check exit_zero": "无论发现什么都以 0 退出",
    "check baseline": "不报告此文件中已有的内容，该文件由 `--write-baseline` 写出",
    "check write_baseline": "把发现写入文件，并以 0 退出",
    "check add_ignore": "为每个发现写入一条使其不再报告的注释",
    "check watch": "文件变化时重新检查",
    "check jobs": "进程数（默认：与核数相同）",
    "check dask": "由 Dask 集群的工作进程检查",
    "check shard": "检查 N 份中的第 I 份；用 `gradguard merge` 合并",
    "check cache_dir": "缓存文件夹（默认：配置文件旁的 `.gradguard_cache`）",
    "check no_cache": "全部重新检查，不保留任何内容",
    "check status": (
        "退出状态：\n  0    没有达到阈值的问题\n  1    发现了问题；使用 --diff 时：有可修复之处\n"
        "  2    用法或配置有误、内部错误，或命令行上指名的文件无法读取或完整解析（文件夹中的这类文件只作报告）\n"
        "  130  被中断；报告此前已知的内容"
    ),
    "merge": "把一次检查的各份所写的 SARIF 文件合并为一个。",
    "merge files": "`check --shard I/N --output-format sarif` 所写的文件",
    "merge output": "写到哪里（默认：标准输出）",
    "merge exit_zero": "无论发现什么都以 0 退出",
    "merge status": "退出状态：与 `gradguard check` 相同，就其中的全部内容而言",
    "clean": "删除一些文件夹之下各项目的缓存。",
    "clean paths": "（默认：当前文件夹）",
    "versions": "逐行显示程序中张量的版本计数器。",
    "versions output_format": "输出格式（默认：text）",
    "versions file": "要查看的文件",
    "versions config": "使用此配置",
    "explain": "解释一条规则，或 PyTorch 的一条错误消息。",
    "explain what": (
        "规则的代码或名称，如 GG101 或 inplace-on-saved；或者含有 PyTorch 消息的文本，最好带上回溯；`-` 从标准输入读取"
    ),
    "explain project": "文件或文件夹：列出其中的嫌疑，最可能的在前",
    "explain config": "与 `--project` 一起使用：使用此配置",
    "explain language": "语言标签，如 zh-CN（默认：英语）",
    "rules": "列出所有规则。",
    "facts": "说明对 PyTorch 的可调用对象所知的内容：保存、修改和返回什么。",
    "facts name": "按程序中的写法：`torch.exp`、`torch.Tensor.add_`、`torch.nn.Linear`",
    "facts torch": "该版本的事实（默认：工作目录的版本）",
    "facts output_format": "输出格式（默认：text）；不给名称时以 json 写出全部",
    "schema": "打印 JSON schema：设置的（供编辑 TOML 的编辑器使用），或事实的（供读取它们的程序使用）。",
    "schema of": "`settings` 为设置（默认），`facts` 为 `gradguard facts --output-format json` 所写的内容",
    "completion": "打印使 shell 补全 gradguard 命令和选项的脚本。",
    "completion shell": "要补全的 shell",
    "completion status": (
        "bash：写入文件 ~/.local/share/bash-completion/completions/gradguard；"
        "zsh：写入 $fpath 中某个文件夹的 `_gradguard` 文件。"
    ),
    "server": "运行语言服务器，供编辑器使用。",
    "server tcp": "在该地址监听，而不使用标准输入输出",
}
"""what a command, and each of its options, does"""
