// SPDX-License-Identifier: GPL-2.0
/* gnuplot: pictures, drawn by gnuplot(1). */
#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gnuplot.h"
#include "memory.h"

extern char **environ;

/*
 * Okabe and Ito, "Color Universal Design" (2008); their yellow, which is hard to
 * see on white, comes last.
 */
static const char *const colours[GNUPLOT_COLOURS] = {
	"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9",
	"#000000", "#f0e442",
};

static const struct {
	const char *name;
	int width;
	int height;
	const char *settings;
} terminals[] = {
	[GNUPLOT_SVG] = { "svg", 900, 520,
			  "dynamic noenhanced font 'sans-serif,15' "
			  "background '#ffffff'" },
	[GNUPLOT_PNG] = { "pngcairo", 1350, 780,
			  "noenhanced font 'sans,16' linewidth 1.5 "
			  "background '#ffffff'" },
};

/**
 * gnuplot_colour() - a colour of the palette
 * @index: any number
 *
 * Return: the colour as gnuplot takes it.
 */
const char *gnuplot_colour(size_t index)
{
	return colours[index % GNUPLOT_COLOURS];
}

/**
 * gnuplot_begin() - start a script
 * @plot: the script; gnuplot_free() releases it
 * @form: format of the picture
 */
void gnuplot_begin(struct gnuplot *plot, enum gnuplot_form form)
{
	*plot = (struct gnuplot) { .form = form };
	plot->script = memory_must(open_memstream(&plot->text, &plot->size));
	gnuplot_height(plot, 1);
	fputs("set encoding utf8\n"
	      "set datafile missing 'NaN'\n"
	      "set border 3 lc rgb '#444444'\n"
	      "set tics nomirror out\n"
	      "set grid lc rgb '#dddddd' lw 1\n"
	      "set key outside bottom center horizontal reverse Left height 1\n"
	      "set xlabel offset 0,0.3\n", plot->script);
}

/**
 * gnuplot_height() - make the picture higher or lower
 * @plot: the script, in which nothing is drawn yet
 * @factor: height over that of a picture as gnuplot_begin() makes it
 */
void gnuplot_height(struct gnuplot *plot, double factor)
{
	fprintf(plot->script, "set terminal %s size %d,%.0f %s\n",
		terminals[plot->form].name, terminals[plot->form].width,
		terminals[plot->form].height * factor,
		terminals[plot->form].settings);
}

/**
 * gnuplot_quote() - text as a constant that is not interpreted
 * @plot: the script
 * @text: the text
 *
 * Between single quotes gnuplot interprets nothing, but a quote and the end of
 * the line. A doubled quote stands for one, but not at the beginning and not
 * beside another one: what is drawn has the typographic apostrophe instead.
 */
void gnuplot_quote(struct gnuplot *plot, const char *text)
{
	fputc('\'', plot->script);
	for (; *text; text++) {
		if (*text == '\'')
			fputs("\u2019", plot->script);
		else
			fputc((unsigned char)*text < ' ' ? ' ' : *text,
			      plot->script);
	}
	fputc('\'', plot->script);
}

/**
 * gnuplot_number() - a value of a data block, and a blank
 * @plot: the script
 * @number: the value
 */
void gnuplot_number(struct gnuplot *plot, double number)
{
	if (isfinite(number))
		fprintf(plot->script, "%.10g ", number);
	else
		fputs("NaN ", plot->script);
}

/* All of a file, from its beginning. */
static int slurp(FILE *from, struct gnuplot_image *to)
{
	long size;

	if (fseek(from, 0, SEEK_END))
		return -1;
	size = ftell(from);
	if (size < 0)
		return -1;
	rewind(from);
	to->data = memory_must(calloc(1, size + 1));
	to->size = fread(to->data, 1, size, from);
	return to->size == (size_t)size ? 0 : -1;
}

/* Run it from one file to others; its exit status, or -1 with errno. */
static int run(FILE *in, FILE *out, FILE *diagnostics)
{
	/* Without the user's own settings. */
	char *const words[] = { "gnuplot", "-d", "-", NULL };
	posix_spawn_file_actions_t actions;
	int error, status;
	pid_t child;

	error = posix_spawn_file_actions_init(&actions);
	if (!error) {
		posix_spawn_file_actions_adddup2(&actions, fileno(in), 0);
		posix_spawn_file_actions_adddup2(&actions, fileno(out), 1);
		posix_spawn_file_actions_adddup2(&actions, fileno(diagnostics),
						 2);
		error = posix_spawnp(&child, words[0], &actions, NULL, words,
				     environ);
		posix_spawn_file_actions_destroy(&actions);
	}
	if (error) {
		errno = error;
		return -1;
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static void refuse(FILE *diagnostics, struct units_error *err)
{
	struct gnuplot_image said = { 0 };
	char *line, *save;

	if (slurp(diagnostics, &said))
		units_refuse(err, "gnuplot failed");
	/* What it cannot read it shows first, with a mark below. */
	line = said.data ? strtok_r(said.data, "\n", &save) : NULL;
	for (char *next = line; next; next = strtok_r(NULL, "\n", &save))
		if (strstr(next, "line "))
			line = next;
	units_refuse(err, "gnuplot failed: %.120s", line ? line : "no picture");
	free(said.data);
}

static int draw(const struct gnuplot *plot, FILE *in, FILE *out,
		FILE *diagnostics, struct gnuplot_image *image,
		struct units_error *err)
{
	int status;

	if (fwrite(plot->text, 1, plot->size, in) != plot->size ||
	    fflush(in) || fseek(in, 0, SEEK_SET)) {
		units_refuse(err, "no temporary file for gnuplot: %s",
			     strerror(errno));
		return -1;
	}
	status = run(in, out, diagnostics);
	if (status < 0 || status == 127) {
		units_refuse(err, "gnuplot cannot be run: %s; install gnuplot-nox",
			     strerror(status < 0 ? errno : ENOENT));
		return -1;
	}
	if (slurp(out, image) || status || !image->size) {
		refuse(diagnostics, err);
		return -1;
	}
	return 0;
}

/**
 * gnuplot_end() - draw the picture
 * @plot: the script
 * @image: where the picture goes, for free()
 * @err: why there is none
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int gnuplot_end(struct gnuplot *plot, struct gnuplot_image *image,
		struct units_error *err)
{
	FILE *in = tmpfile(), *out = tmpfile(), *diagnostics = tmpfile();
	int ret = -1;

	*image = (struct gnuplot_image) { 0 };
	fclose(plot->script);
	plot->script = NULL;
	if (in && out && diagnostics)
		ret = draw(plot, in, out, diagnostics, image, err);
	else
		units_refuse(err, "no temporary file for gnuplot: %s",
			     strerror(errno));
	if (in)
		fclose(in);
	if (out)
		fclose(out);
	if (diagnostics)
		fclose(diagnostics);
	if (ret) {
		free(image->data);
		*image = (struct gnuplot_image) { 0 };
	}
	return ret;
}

void gnuplot_free(struct gnuplot *plot)
{
	if (plot->script)
		fclose(plot->script);
	free(plot->text);
}
