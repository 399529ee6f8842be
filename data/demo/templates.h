#pragma once

#include "sentences.h"

/// The kinds of sentences. Each draws one; `draw_sentence` chooses among them by weight.
namespace demo::templates {

// main_clauses.cpp
Draft plain(Chooser& choose);       ///< "Anna buys three red roses."
Draft time_first(Chooser& choose);  ///< "Tomorrow ...": verb second in German
Draft manner(Chooser& choose);      ///< "... carefully"
Draft quality(Chooser& choose);     ///< "The old house is dark."
Draft comparison(Chooser& choose);  ///< "... is older than ..."
Draft position(Chooser& choose);    ///< "The key is on the table."
Draft putting(Chooser& choose);     ///< legen or stellen
Draft passive(Chooser& choose);     ///< "The bridge was built by the king."
Draft music(Chooser& choose);       ///< "plays the piano": no article in German
Draft gladly(Chooser& choose);      ///< "likes to": gern
Draft existence(Chooser& choose);   ///< "There is": es gibt
Draft yes_no_question(Chooser& choose);
Draft object_question(Chooser& choose);   ///< "What", "Who": was, wen
Draft subject_question(Chooser& choose);  ///< "Who": wer
Draft place_question(Chooser& choose);    ///< "Where": wo
Draft reason_question(Chooser& choose);   ///< "Why": warum

// complex_sentences.cpp
Draft speech(Chooser& choose);             ///< "says that": dass, verb last
Draft indirect_question(Chooser& choose);  ///< "does not know whether": ob
Draft reason(Chooser& choose);             ///< "because she needs it": the pronoun has a gender
Draft condition_first(Chooser& choose);    ///< "If ..., ...": the main clause begins with its verb
Draft contrast(Chooser& choose);           ///< "although", "while"
Draft subject_relative(Chooser& choose);   ///< "The man who ... is ..."
Draft object_relative(Chooser& choose);    ///< "... the book that the boy reads"
Draft purpose(Chooser& choose);            ///< "in order to": um ... zu
Draft attempt(Chooser& choose);            ///< "tries to": versucht, ... zu
Draft two_clauses(Chooser& choose);        ///< and, but
Draft thing_again(Chooser& choose);        ///< "The key is old, but it is ...": er, sie or es

}  // namespace demo::templates
