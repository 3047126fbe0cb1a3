# SPDX-License-Identifier: GPL-2.0
"""Commands of the laboratory, run in this process beside what stands for ktput-ctl."""


def stand_in(monkeypatch, program, script):
    """Have *script*, in the file *program*, stand for ktput-ctl."""
    program.write_text(script)
    program.chmod(0o755)
    monkeypatch.setenv("KTPUT_CTL", str(program))


def result_of(capsys, main, words):
    """Run a command; return its status, and what it wrote to both outputs."""
    status = main.run(words, "1.2")
    out, err = capsys.readouterr()
    return status, out, err
